import { agentLimits } from '../../limits.ts';

interface LoginQueueOptions {
  /** Checks that go on at a time, besides one of a newcomer. */
  readonly runningMax: number;
  /** Told whenever the number of those that wait has changed. */
  readonly onChange?: (waiting: number) => void;
}

/** Where a check goes on. */
type Place = 'common' | 'newcomers';

/** What waits for one address, and how much that is in all. */
interface Neighbourhood {
  readonly users: Turns<((place: Place) => void)[]>;
  waiting: number;
}

/**
 * Whose password is checked next. A check costs milliseconds of a processor and anybody may ask for one, so that few go on at a time and
 * the rest waits: addresses take turns, and within an address its users do. One more is only for addresses that have not had a turn yet,
 * so that whoever comes for the first time need not wait for those who keep coming. Whoever guesses from one address, or at
 * one user, delays himself.
 */
export class LoginQueue {
  readonly #options: LoginQueueOptions;
  readonly #addresses = new Turns<Neighbourhood>();
  #running = 0;
  #isNewcomerRunning = false;
  #waiting = 0;

  constructor(options: LoginQueueOptions) {
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
    const place = await this.#enter(addressKey(remoteAddress), user);
    if (place === 'none') return 'busy';
    try {
      return await work();
    } finally {
      this.#leave(place);
    }
  }

  #enter(address: string, user: string): Place | 'none' | Promise<Place> {
    if (this.#running < this.#options.runningMax) {
      this.#running++;
      return 'common';
    }
    const neighbourhood = this.#addresses.find(address);
    if (neighbourhood === undefined && !this.#isNewcomerRunning) {
      this.#isNewcomerRunning = true;
      return 'newcomers';
    }
    const alreadyWaiting = neighbourhood?.waiting ?? 0;
    if (
      this.#waiting >= agentLimits.waitingLoginsMax ||
      alreadyWaiting >= agentLimits.waitingLoginsPerAddressMax
    ) {
      return 'none';
    }
    return this.#turn(address, user);
  }

  #turn(address: string, user: string): Promise<Place> {
    return new Promise((begin) => {
      const neighbourhood = this.#addresses.of(address, () => ({ users: new Turns(), waiting: 0 }));
      neighbourhood.users.of(user, () => []).push(begin);
      neighbourhood.waiting++;
      this.#changed(1);
    });
  }

  /** Whoever is next takes the place. */
  #leave(place: Place): void {
    const next = place === 'common' ? this.#addresses.take() : this.#addresses.takeNewcomer();
    if (next === undefined) {
      if (place === 'common') this.#running--;
      else this.#isNewcomerRunning = false;
      return;
    }
    const [address, neighbourhood] = next;
    const [user, waiters] = neighbourhood.users.take()!;
    const begin = waiters.shift()!;
    if (waiters.length > 0) neighbourhood.users.putBack(user, waiters);
    neighbourhood.waiting--;
    if (neighbourhood.waiting > 0) this.#addresses.putBack(address, neighbourhood);
    this.#changed(-1);
    begin(place);
  }

  #changed(by: number): void {
    this.#waiting += by;
    this.#options.onChange?.(this.#waiting);
  }
}

/**
 * Who is next. Those who have not had a turn yet and those who have and want more are two lines that take turns, so that a newcomer waits
 * for one of the others, however many there are.
 */
class Turns<Waiting> {
  readonly #newcomers = new Map<string, Waiting>();
  readonly #regulars = new Map<string, Waiting>();
  #isNewcomersTurn = true;

  find(key: string): Waiting | undefined {
    return this.#newcomers.get(key) ?? this.#regulars.get(key);
  }

  of(key: string, create: () => Waiting): Waiting {
    const found = this.find(key);
    if (found !== undefined) return found;
    const created = create();
    this.#newcomers.set(key, created);
    return created;
  }

  /** Whose turn it is, who has to be put back if there is more. */
  take(): [key: string, waiting: Waiting] | undefined {
    const lines = [this.#newcomers, this.#regulars];
    if (!this.#isNewcomersTurn) lines.reverse();
    const line = lines.find(({ size }) => size > 0);
    if (line === undefined) return undefined;
    this.#isNewcomersTurn = line === this.#regulars;
    return takeFirst(line);
  }

  takeNewcomer(): [key: string, waiting: Waiting] | undefined {
    return takeFirst(this.#newcomers);
  }

  putBack(key: string, waiting: Waiting): void {
    this.#regulars.set(key, waiting);
  }
}

function takeFirst<Waiting>(line: Map<string, Waiting>): [key: string, waiting: Waiting] | undefined {
  const first = line.entries().next().value;
  if (first !== undefined) line.delete(first[0]);
  return first;
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
