/**
 * What a function returns that a user's mistake can stop: the value, or the problem in the user's terms.
 * A mistake of the user is data; only a broken promise of our own code is thrown.
 */
export type Outcome<Value, Problem> = { readonly value: Value } | { readonly problem: Problem };
