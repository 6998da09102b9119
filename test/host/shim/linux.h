/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The general part of the kernel that sm4-fast uses: types, arithmetic, strings,
 * scatterlists, messages and module parameters.
 */
#ifndef SHIM_LINUX_H
#define SHIM_LINUX_H

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- compiler ---- */

#ifndef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#endif
#define __aligned(n)	__attribute__((__aligned__(n)))
#define noinline	__attribute__((__noinline__))
#define __init
#define __initdata
#define __initconst
#define __exit
#define __ro_after_init
#define asmlinkage
/* Only what is below is for several threads; only a test (control.h) can configure the kernel. */
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, value)	((x) = (value))
#define IS_ENABLED(CONFIG_option)	shim_is_enabled(#CONFIG_option)
bool shim_is_enabled(const char *option);

/* ---- types and arithmetic ---- */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef u32 __be32;
/* For the kernel's header that <sched.h> includes since glibc 2.41 */
typedef int32_t __s32;
typedef u32 __u32;
typedef u64 __u64;
typedef unsigned int gfp_t;

#define U64_MAX		UINT64_MAX
#define BITS_PER_LONG	64

#define GFP_KERNEL	0
#define GFP_ATOMIC	1
#define __GFP_NOWARN	2
#define PAGE_SIZE	4096UL

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define BIT(n)			(1UL << (n))
#define ALIGN(x, to)		(((x) + (to) - 1) & ~((typeof(x))(to) - 1))
#define DIV_ROUND_UP(x, to)	(((x) + (to) - 1) / (to))
#define offset_in_page(p)	((uintptr_t)(p) & (PAGE_SIZE - 1))
#define round_down(x, to)	((x) & ~((typeof(x))(to) - 1))
#define round_up(x, to)		ALIGN(x, to)

#define min_t(type, a, b) ({ \
	type min_a_ = (a), min_b_ = (b); \
	min_a_ < min_b_ ? min_a_ : min_b_; \
})
#define swap(a, b) ({ \
	typeof(a) swap_a_ = (a); \
	(a) = (b); \
	(b) = swap_a_; \
})
#define min(a, b)	min_t(typeof(a), a, b)
#define max(a, b) ({ \
	typeof(a) max_a_ = (a), max_b_ = (b); \
	max_a_ > max_b_ ? max_a_ : max_b_; \
})
#define min3(a, b, c)	min(min(a, b), c)

#define container_of(pointer, type, member) \
	((type *)((uintptr_t)(pointer) - offsetof(type, member)))

static inline u32 rol32(u32 x, unsigned int n)
{
	return x << (n & 31) | x >> (-n & 31);
}

#define swab32(x)	__builtin_bswap32(x)
#define cpu_to_be16(x)	__builtin_bswap16(x)
#define cpu_to_be32(x)	__builtin_bswap32(x)
#define cpu_to_be64(x)	__builtin_bswap64(x)
#define cpu_to_le32(x)	(x)
#define cpu_to_le64(x)	(x)

/* get_unaligned_be32() and its seven siblings */
#define DEFINE_UNALIGNED(type, order, bits) \
static inline type get_unaligned_##order##bits(const void *p) \
{ \
	type x; \
\
	memcpy(&x, p, sizeof(x)); \
	return cpu_to_##order##bits(x); \
} \
\
static inline void put_unaligned_##order##bits(type value, void *p) \
{ \
	value = cpu_to_##order##bits(value); \
	memcpy(p, &value, sizeof(value)); \
}

DEFINE_UNALIGNED(u16, be, 16)
DEFINE_UNALIGNED(u32, be, 32)
DEFINE_UNALIGNED(u64, be, 64)
DEFINE_UNALIGNED(u32, le, 32)
DEFINE_UNALIGNED(u64, le, 64)

/* ---- atomic operations ---- */

typedef struct {
	long long counter;
} atomic64_t;

#define atomic64_inc_return(v)	__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define xchg(p, new)		__atomic_exchange_n(p, new, __ATOMIC_SEQ_CST)
#define cmpxchg(p, old, new)	__sync_val_compare_and_swap(p, old, new)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, value)	__atomic_store_n(p, value, __ATOMIC_RELEASE)
#define set_bit(bit, p)		((void)__atomic_fetch_or(p, BIT(bit), __ATOMIC_SEQ_CST))
#define test_bit(bit, p)	(__atomic_load_n(p, __ATOMIC_RELAXED) >> (bit) & 1)
#define for_each_set_bit(bit, p, bits) \
	for ((bit) = 0; (bit) < (bits); (bit)++) \
		if (test_bit(bit, p))

/* ---- memory and strings ---- */

void *kmalloc(size_t bytes, gfp_t flags);
void *kzalloc(size_t bytes, gfp_t flags);
void kfree(const void *memory);
void *kmemdup(const void *from, size_t bytes, gfp_t flags);
void memzero_explicit(void *p, size_t bytes);
ssize_t strscpy(char *to, const char *from, size_t bytes);

/* The number of bytes that are in the buffer */
#define scnprintf(buffer, bytes, ...) \
	min_t(int, snprintf(buffer, bytes, __VA_ARGS__), (int)(bytes) - 1)

/* ---- time, which a test lets pass (control.h) ---- */

#define NSEC_PER_MSEC	1000000L

u64 ktime_get_ns(void);

/*
 * ---- CPUs: a test sets the current one (control.h), and may have a thread for each ----
 */

#define SHIM_CPUS	2

/* For tests of what looks at CPUs by their numbers: one more, with a high number after gaps */
#define SHIM_FAR_CPU	66

extern __thread unsigned int shim_cpu;

void *shim_per_cpu_address(void *variable, unsigned int cpu);

/* The variable itself is for CPU 0. */
#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name) \
	type name __attribute__((__section__("per_cpu")))
#define per_cpu_ptr(pointer, cpu) \
	((typeof(pointer))shim_per_cpu_address(pointer, cpu))
#define per_cpu(variable, cpu)		(*per_cpu_ptr(&(variable), cpu))
#define this_cpu_ptr(pointer)		per_cpu_ptr(pointer, shim_cpu)
#define this_cpu_add(variable, n)	(*this_cpu_ptr(&(variable)) += (n))
#define this_cpu_inc(variable)		this_cpu_add(variable, 1)
#define smp_processor_id()		shim_cpu
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < SHIM_CPUS; (cpu)++)
#define nr_cpu_ids			(SHIM_FAR_CPU + 1)
#define cpu_possible(cpu)		((cpu) < SHIM_CPUS || (cpu) == SHIM_FAR_CPU)

/* ---- softirqs, locks and RCU: wrong use ends the test ---- */

typedef struct {
	bool initialized, locked;
	const void *owner;
} spinlock_t;

struct tasklet_struct {
	void (*callback)(struct tasklet_struct *tasklet);
	struct tasklet_struct *next;
	bool scheduled;
};

#define from_tasklet(to, tasklet, member) \
	container_of(tasklet, typeof(*(to)), member)

bool in_softirq(void);
void local_bh_disable(void);
void local_bh_enable(void);

void spin_lock_init(spinlock_t *lock);
void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);

void tasklet_setup(struct tasklet_struct *tasklet,
		   void (*callback)(struct tasklet_struct *tasklet));
void tasklet_schedule(struct tasklet_struct *tasklet);
void tasklet_kill(struct tasklet_struct *tasklet);

struct rw_semaphore {
	bool locked;
};

void down_write(struct rw_semaphore *semaphore);
void up_write(struct rw_semaphore *semaphore);
void msleep(unsigned int milliseconds);

typedef unsigned int refcount_t;

#define refcount_read(counter)	(*(counter))

struct rcu_head {
	struct rcu_head *next;
	void *memory;
};

void rcu_read_lock(void);
void rcu_read_unlock(void);
void shim_check_rcu(bool reads);

#define rcu_dereference(pointer)	(shim_check_rcu(true), pointer)
void shim_free_after_grace_period(struct rcu_head *head, void *memory);

#define kfree_rcu(pointer, member) \
	shim_free_after_grace_period(&(pointer)->member, pointer)

/* ---- lists ---- */

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void list_add(struct list_head *entry, struct list_head *list)
{
	entry->next = list->next;
	entry->prev = list;
	list->next->prev = entry;
	list->next = entry;
}

static inline void list_add_tail(struct list_head *entry,
				 struct list_head *list)
{
	entry->next = list;
	entry->prev = list->prev;
	list->prev->next = entry;
	list->prev = entry;
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	entry->next = NULL;
	entry->prev = NULL;
}

#define list_first_entry(list, type, member) \
	container_of((list)->next, type, member)
#define list_first_entry_or_null(list, type, member) \
	(list_empty(list) ? NULL : list_first_entry(list, type, member))

#define list_for_each_entry(entry, list, member)				\
	for (entry = container_of((list)->next, typeof(*entry), member);	\
	     &entry->member != (list);						\
	     entry = container_of(entry->member.next, typeof(*entry), member))

#define list_for_each_entry_safe(entry, after, list, member)			\
	for (entry = container_of((list)->next, typeof(*entry), member);	\
	     after = container_of(entry->member.next, typeof(*entry), member),	\
	     &entry->member != (list); entry = after)

/* ---- error pointers ---- */

static inline long PTR_ERR(const void *p)
{
	return (long)p;
}

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

/* ---- scatterlists: an entry is contiguous memory, in any pages ---- */

struct scatterlist {
	u8 *address;
	unsigned int length;
	bool is_last;
};

void sg_init_table(struct scatterlist *sg, unsigned int entries);
void sg_init_one(struct scatterlist *sg, const void *p, unsigned int bytes);
void sg_set_buf(struct scatterlist *sg, const void *p, unsigned int bytes);
void sg_mark_end(struct scatterlist *sg);
struct scatterlist *sg_next(struct scatterlist *sg);

static inline void *sg_virt(struct scatterlist *sg)
{
	return sg->address;
}

/* ---- messages ---- */

#ifndef pr_fmt
#define pr_fmt(format)	format
#endif

#define pr_err(format, ...)	shim_print(pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...)	shim_print(pr_fmt(format), ##__VA_ARGS__)

void shim_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether the kernel's limit allows another message; a test may set it. */
extern bool shim_ratelimit_allows;
#define printk_ratelimit()	shim_ratelimit_allows

/* linux/fips.h; a test may set it. */
extern int fips_enabled;

/* ---- modules: each macro collects its entries in a section ---- */

struct module {
	const char *name;
	bool is_loading;
};

extern struct module shim_module;
#define THIS_MODULE	(&shim_module)

struct kernel_param {
	void *arg;
};

struct module_parameter {
	const char *name;
	const char *type;
	void *value;
	struct kernel_param param;
};

#define MODULE_PARAMETER(parameter, variable, kind, argument) \
	static const struct module_parameter module_parameter_##parameter = { \
		.name = #parameter, .type = kind, .value = (void *)&(variable), \
		.param = { argument }, \
	}; \
	static const struct module_parameter *const \
	module_parameter_entry_##parameter \
	__attribute__((__used__, __section__("module_parameters"))) = \
		&module_parameter_##parameter
#define module_param(variable, kind, mode) \
	MODULE_PARAMETER(variable, variable, #kind, NULL)

/* A parameter that the module computes when it is read */
struct kernel_param_ops {
	int (*set)(const char *value, const struct kernel_param *param);
	int (*get)(char *buffer, const struct kernel_param *param);
};

#define module_param_cb(parameter, operations, argument, mode) \
	MODULE_PARAMETER(parameter, *(operations), "computed", argument)

#define MODULE_STRING_3(section, number, string) \
	static const char *const section##_##number \
	__attribute__((__used__, __section__(#section))) = string
#define MODULE_STRING_2(section, number, string) \
	MODULE_STRING_3(section, number, string)
#define MODULE_STRING(section, string) \
	MODULE_STRING_2(section, __COUNTER__, string)

#define MODULE_ALIAS_CRYPTO(name)	MODULE_STRING(module_aliases, name)
#define MODULE_DESCRIPTION(text)	MODULE_STRING(module_information, text)
#define MODULE_AUTHOR(name)		MODULE_STRING(module_information, name)
#define MODULE_LICENSE(name)		MODULE_STRING(module_information, name)
#define MODULE_VERSION(text)		MODULE_STRING(module_information, text)
#define MODULE_SOFTDEP(text)		MODULE_STRING(module_information, text)
/* The text is a macro of Kbuild. */
#define MODULE_INFO(tag, text) \
	MODULE_STRING(module_information, #tag "=" #text)
#define MODULE_PARM_DESC(name, text)	MODULE_STRING(module_information, text)

#define late_initcall(function) \
	int shim_module_init(void) \
	{ \
		return function(); \
	}
#define module_exit(function) \
	void shim_module_exit(void) \
	{ \
		function(); \
	}

int shim_module_init(void);
void shim_module_exit(void);

#endif
