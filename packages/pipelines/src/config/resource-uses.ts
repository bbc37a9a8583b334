/** Who uses which resource: a resource, or `undefined` for what is outside of all. */
type Use = readonly [from: string | undefined, target: string];

/** How resources use each other. Its cost is linear in the number of uses. */
export class ResourceUses {
  /** By resource, the group of those that are within each other. */
  readonly #groups = new Map<string, number>();
  /**
   * How many resources are used, each as often as a message may go through it: twice by one that is used twice makes
   * four. Within a circle, which is refused, a use counts once.
   */
  readonly count: number;

  constructor(uses: readonly Use[]) {
    const targets = edgesOf(uses);
    const users = edgesOf(uses.flatMap(([from, target]) => (from === undefined ? [] : [[target, from]])));
    const order = postOrder(targets);
    for (const resource of order.toReversed())
      if (!this.#groups.has(resource)) this.#fill(resource, users, this.#groups.size);
    const counts = new Map<string, number>();
    for (const resource of order) {
      let count = 1;
      for (const target of targets.get(resource) ?? [])
        count += this.isWithinItself(resource, target) ? 1 : (counts.get(target) ?? 1);
      counts.set(resource, count);
    }
    this.count = uses.reduce(
      (sum, [from, target]) => (from === undefined ? sum + (counts.get(target) ?? 1) : sum),
      0,
    );
  }

  /** Whether a use leads back to the resource that uses. */
  isWithinItself(from: string, target: string): boolean {
    return from === target || (this.#groups.has(from) && this.#groups.get(from) === this.#groups.get(target));
  }

  #fill(first: string, users: ReadonlyMap<string, readonly string[]>, group: number): void {
    const open = [first];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#groups.has(next)) continue;
      this.#groups.set(next, group);
      open.push(...(users.get(next) ?? []).filter((user) => !this.#groups.has(user)));
    }
  }
}

function edgesOf(uses: readonly Use[]): Map<string, string[]> {
  const edges = new Map<string, string[]>();
  for (const [from, target] of uses) {
    if (!edges.has(target)) edges.set(target, []);
    if (from === undefined) continue;
    const known = edges.get(from);
    if (known === undefined) edges.set(from, [target]);
    else known.push(target);
  }
  return edges;
}

/** All nodes, each after those that it leads to, except where that is a circle. */
function postOrder(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  for (const root of edges.keys()) {
    if (seen.has(root)) continue;
    seen.add(root);
    const path: { readonly node: string; at: number }[] = [{ node: root, at: 0 }];
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const next = edges.get(last.node)![last.at++];
      if (next === undefined) order.push(path.pop()!.node);
      else if (!seen.has(next)) {
        seen.add(next);
        path.push({ node: next, at: 0 });
      }
    }
  }
  return order;
}
