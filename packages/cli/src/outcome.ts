/**
 * The result of a function that can fail because of a user's mistake: the value, or the problem in the user's terms. A
 * user's mistake is data; only bugs are thrown.
 */
export type Outcome<Value, Problem> = { readonly value: Value } | { readonly problem: Problem };
