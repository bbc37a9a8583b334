import { addressKey } from './address-key.ts';

/** How many connections a port has. */
export interface SharesLimits {
  /** Connections before shares count. */
  readonly max: number;
  /** Further ones, for addresses that have few. */
  readonly reserved: number;
}

/** An address with so many connections gets none of the reserve. */
const reservedPerAddressMax = 4;

/** Connections of one address that can end for others; the oldest first. */
interface Spare<Connection> {
  readonly of: Holder<Connection>;
  readonly connections: Set<Connection>;
}

interface Holder<Connection> {
  readonly address: string;
  count: number;
  /** Those that have not sent a whole request yet. */
  readonly halfSent: Spare<Connection>;
  /** Those whose requests are all answered. */
  readonly idle: Spare<Connection>;
}

interface Place<Connection> {
  readonly holder: Holder<Connection>;
  /** Requests that are being answered. */
  busy: number;
}

/**
 * Shares the connections of a port among the addresses of peers, from the moment when the port is full: before, an
 * address may have all of them, as a load balancer does. A new connection to a full port takes the place of a half-sent
 * one, or else of an idle one: of the oldest of the address that has the most of them, unless that address has fewer
 * connections than the new one's. So peers that send half a request and wait keep no other out, not even at their own
 * address, and requests under way are left alone. If there is none to end, addresses with few connections, such as
 * those of probes, have a reserve.
 */
export class ConnectionShares<Connection extends object> {
  readonly #limits: SharesLimits;
  readonly #places = new Map<Connection, Place<Connection>>();
  readonly #holders = new Map<string, Holder<Connection>>();
  readonly #ranked = { halfSent: new Ranking<Connection>(), idle: new Ranking<Connection>() };

  constructor(limits: SharesLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Takes a connection, and returns the one that has to end for it; `refused` if it cannot be taken. */
  enter(connection: Connection, remoteAddress: string): Connection | 'refused' | undefined {
    const address = addressKey(remoteAddress);
    const { max, reserved } = this.#limits;
    let evicted: Connection | undefined;
    if (this.#places.size >= max) {
      const own = this.#holders.get(address);
      evicted = this.#spare(own);
      const hasReserve = (own?.count ?? 0) < reservedPerAddressMax && this.#places.size < max + reserved;
      if (evicted === undefined && !hasReserve) return 'refused';
      if (evicted !== undefined) this.leave(evicted);
    }
    let holder = this.#holders.get(address);
    if (holder === undefined) {
      holder = newHolder(address);
      this.#holders.set(address, holder);
    }
    holder.count++;
    this.#places.set(connection, { holder, busy: 0 });
    this.#ranked.halfSent.add(holder.halfSent, connection);
    return evicted;
  }

  /** A request of the connection has come. */
  began(connection: Connection): void {
    const place = this.#places.get(connection);
    if (place === undefined) return;
    place.busy++;
    if (place.busy === 1) this.#unrank(place.holder, connection);
  }

  /** A request of the connection is over. */
  ended(connection: Connection): void {
    const place = this.#places.get(connection);
    if (place === undefined || place.busy === 0) return;
    place.busy--;
    if (place.busy === 0) this.#ranked.idle.add(place.holder.idle, connection);
  }

  leave(connection: Connection): void {
    const place = this.#places.get(connection);
    if (place === undefined) return;
    const { holder } = place;
    this.#places.delete(connection);
    this.#unrank(holder, connection);
    holder.count--;
    if (holder.count === 0) this.#holders.delete(holder.address);
  }

  #unrank(holder: Holder<Connection>, connection: Connection): void {
    this.#ranked.halfSent.delete(holder.halfSent, connection);
    this.#ranked.idle.delete(holder.idle, connection);
  }

  #spare(own: Holder<Connection> | undefined): Connection | undefined {
    const ownCount = own?.count ?? 0;
    for (const kind of ['halfSent', 'idle'] as const) {
      const most = this.#ranked[kind].most();
      const from = most === undefined || most.of.count < ownCount ? own?.[kind] : most;
      const oldest = from?.connections.values().next().value;
      if (oldest !== undefined) return oldest;
    }
    return undefined;
  }
}

function newHolder<Connection>(address: string): Holder<Connection> {
  const holder = { address, count: 0 } as Holder<Connection>;
  const spare = () => ({ of: holder, connections: new Set<Connection>() });
  return Object.assign(holder, { halfSent: spare(), idle: spare() });
}

/** Finds who has the most to spare, in constant time. */
class Ranking<Connection> {
  /** By the number of connections, up to the largest. */
  readonly #levels: Set<Spare<Connection>>[] = [new Set()];

  most(): Spare<Connection> | undefined {
    return this.#levels.at(-1)!.values().next().value;
  }

  add(spare: Spare<Connection>, connection: Connection): void {
    const before = spare.connections.size;
    spare.connections.add(connection);
    this.#move(spare, before);
  }

  delete(spare: Spare<Connection>, connection: Connection): void {
    const before = spare.connections.size;
    if (spare.connections.delete(connection)) this.#move(spare, before);
  }

  #move(spare: Spare<Connection>, before: number): void {
    const { size } = spare.connections;
    this.#levels[before]!.delete(spare);
    this.#levels[size] ??= new Set();
    if (size > 0) this.#levels[size].add(spare);
    while (this.#levels.length > 1 && this.#levels.at(-1)!.size === 0) this.#levels.pop();
  }
}
