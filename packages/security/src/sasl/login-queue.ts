import { addressKey } from '@weir/http';
import { securityLimits } from '../limits.ts';

interface LoginQueueOptions {
  /** Number of concurrent checks, not counting the one that is reserved for a newcomer. */
  readonly runningMax: number;
  /** Called when the number of waiting checks changes. */
  readonly onChange?: (waiting: number) => void;
}

/** The kind of slot that a check occupies. */
type Place = 'common' | 'newcomers';

/** Waiting checks of one address. */
interface Neighbourhood {
  readonly users: RoundRobin<((place: Place) => void)[]>;
  waiting: number;
}

/**
 * Fair queue of password checks. A check costs milliseconds of CPU and any client can request one, so few run at a time
 * and the rest wait: addresses take turns, and within an address its users do. One more slot is reserved for addresses
 * without waiting checks or that have not had a turn yet, so that a newcomer does not wait for addresses that keep
 * coming. A client that guesses passwords from one address, or of one user, delays only itself.
 */
export class LoginQueue {
  readonly #options: LoginQueueOptions;
  readonly #addresses = new RoundRobin<Neighbourhood>();
  #running = 0;
  #isNewcomerRunning = false;
  #waiting = 0;

  constructor(options: LoginQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs the work when its turn comes; returns `busy` if too many checks wait already, in total or for this address.
   */
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
      this.#waiting >= securityLimits.waitingLoginsMax ||
      alreadyWaiting >= securityLimits.waitingLoginsPerAddressMax
    ) {
      return 'none';
    }
    return this.#turn(address, user);
  }

  #turn(address: string, user: string): Promise<Place> {
    return new Promise((begin) => {
      const neighbourhood = this.#addresses.of(address, () => ({ users: new RoundRobin(), waiting: 0 }));
      neighbourhood.users.of(user, () => []).push(begin);
      neighbourhood.waiting++;
      this.#changed(1);
    });
  }

  /** Passes the slot to the next waiting check. */
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
 * Round-robin queue. Keys that have not had a turn yet and keys that wait for another turn are two lines that
 * alternate, so that a newcomer waits for at most one regular, however many there are.
 */
class RoundRobin<Waiting> {
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

  /** Removes and returns the next key. The caller puts it back if it has more waiting work. */
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
