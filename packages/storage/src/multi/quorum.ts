/** How many of `count` buckets have an object when its put is acknowledged. */
export function writeQuorum(count: number): number {
  return Math.floor(count / 2) + 1;
}

/** How many of `count` buckets must say that an object is missing: of so many one has it if it was acknowledged. */
export function readQuorum(count: number): number {
  return count - writeQuorum(count) + 1;
}
