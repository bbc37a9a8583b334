import { caps } from '@weir/core';

export interface LoginTurnsOptions {
  /** Checks that go on at a time. */
  readonly runningMax: number;
  /** Told whenever the number of those that wait has changed. */
  readonly onChange?: (waiting: number) => void;
}

/** What waits for one address: its users in the order of their turns, and how much that is in all. */
interface Neighbourhood {
  readonly users: Map<string, (() => void)[]>;
  waiting: number;
}

/**
 * Whose password is checked next. A check costs milliseconds of a processor and anybody may ask for one, so that few go on at a time and
 * the rest waits: addresses take turns, and within an address its users do. Whoever guesses from one address, or at one user,
 * delays himself.
 */
export class LoginTurns {
  readonly #options: LoginTurnsOptions;
  /** In the order of their turns. */
  readonly #addresses = new Map<string, Neighbourhood>();
  #running = 0;
  #waiting = 0;

  constructor(options: LoginTurnsOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Does the work when its turn comes; `busy` when too much waits already, of all or of this address. */
  async run<Result>(
    remoteAddress: string,
    user: string,
    work: () => Promise<Result>,
  ): Promise<Result | 'busy'> {
    if (this.#running >= this.#options.runningMax) {
      const address = addressKey(remoteAddress);
      const alreadyWaiting = this.#addresses.get(address)?.waiting ?? 0;
      if (this.#waiting >= caps.waitingLoginsMax || alreadyWaiting >= caps.waitingLoginsPerAddressMax) {
        return 'busy';
      }
      await this.#turn(address, user);
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      this.#running--;
      this.#next();
    }
  }

  #turn(address: string, user: string): Promise<void> {
    return new Promise((begin) => {
      const found = this.#addresses.get(address);
      const neighbourhood: Neighbourhood = found ?? { users: new Map(), waiting: 0 };
      if (found === undefined) this.#addresses.set(address, neighbourhood);
      const waiters = neighbourhood.users.get(user);
      if (waiters === undefined) neighbourhood.users.set(user, [begin]);
      else waiters.push(begin);
      neighbourhood.waiting++;
      this.#changed(1);
    });
  }

  /** Whoever had a turn goes to the end, the user among those of his address and the address among all. */
  #next(): void {
    const first = this.#addresses.entries().next();
    if (first.done === true) return;
    const [address, neighbourhood] = first.value;
    const [user, waiters] = neighbourhood.users.entries().next().value!;
    const begin = waiters.shift()!;
    neighbourhood.users.delete(user);
    if (waiters.length > 0) neighbourhood.users.set(user, waiters);
    neighbourhood.waiting--;
    this.#addresses.delete(address);
    if (neighbourhood.waiting > 0) this.#addresses.set(address, neighbourhood);
    this.#running++;
    this.#changed(-1);
    begin();
  }

  #changed(by: number): void {
    this.#waiting += by;
    this.#options.onChange?.(this.#waiting);
  }
}

/** One host may have all addresses of a /64 of IPv6, so that they count as one. */
export function addressKey(remoteAddress: string): string {
  const address = remoteAddress.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = head === '' ? [] : head.split(':');
  // What `::` stands for is zeros, of which the tail may take some back.
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  while (tail !== undefined && groups.length + tailGroups.length < 8) groups.push('0');
  return [...groups, ...tailGroups]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
