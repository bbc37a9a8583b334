import { type GroupType, groupTypes } from '@weir/cluster';
import { type Clock, coreLimits, type Log } from '@weir/core';
import { ByteReader, ByteWriter, type KeyValueStore, UnreadableBytes } from '@weir/machine';
import { ClassicGroupRuntime } from './classic/group-runtime.ts';
import { ConsumerGroupRuntime } from './consumer/group-runtime.ts';
import type { Group, GroupHost, ReadGroup } from './group.ts';
import { ShareGroupRuntime } from './share/group-runtime.ts';
import { StreamsGroupRuntime } from './streams/group-runtime.ts';

/** The first byte of a group entry; numbers are never reused. */
const typeNumbers = { classic: 1, consumer: 2, share: 3, streams: 4 } as const satisfies Record<
  GroupType,
  number
>;

/** The types that this release coordinates. */
const readers: Partial<Record<GroupType, ReadGroup>> = {
  classic: (groupId, reader, host) => ClassicGroupRuntime.read(groupId, reader, host),
  consumer: (groupId, reader, host) => ConsumerGroupRuntime.read(groupId, reader, host),
  share: (groupId, reader, host) => ShareGroupRuntime.read(groupId, reader, host),
  streams: (groupId, reader, host) => StreamsGroupRuntime.read(groupId, reader, host),
};

/** The number of stored groups that one turn reads; other work runs between turns. */
const groupsPerTurn = 200;
const turnPauseMs = 1;

/**
 * The groups of a cluster by id: one namespace for all types. Groups that an earlier leader stored are read on demand,
 * and the rest in the background, so that a failover does not wait for a hundred thousand groups.
 */
export class GroupDirectory {
  readonly #kv: Pick<KeyValueStore, 'get' | 'of'>;
  readonly #host: GroupHost;
  readonly #log: Log;
  readonly #groups = new Map<string, Group>();
  /** Ids of stored groups that are not read yet. */
  readonly #unread: Set<string>;
  readonly #writer = new ByteWriter();
  readonly #onRead: (group: Group) => void;
  #cancelTurn: () => void = () => {};

  constructor(
    kv: Pick<KeyValueStore, 'get' | 'of'>,
    host: GroupHost,
    clock: Clock,
    log: Log,
    onRead: (group: Group) => void,
  ) {
    this.#kv = kv;
    this.#host = host;
    this.#log = log;
    this.#onRead = onRead;
    this.#unread = new Set(kv.of('group').keys());
    this.#readLater(clock);
  }

  get size(): number {
    return this.#groups.size + this.#unread.size;
  }

  has(groupId: string): boolean {
    return this.#groups.has(groupId) || this.#unread.has(groupId);
  }

  find(groupId: string): Group | undefined {
    if (this.#unread.delete(groupId)) this.#read(groupId);
    return this.#groups.get(groupId);
  }

  /** Adds a new group. Returns `false` if there are too many. */
  add(group: Group): boolean {
    if (this.size >= coreLimits.groupsMax) return false;
    this.#groups.set(group.groupId, group);
    return true;
  }

  remove(group: Group): void {
    if (this.#groups.get(group.groupId) === group) this.#groups.delete(group.groupId);
  }

  /** Removes a group that was created by a refused request or an unused member id. */
  forgetIfIdle(group: Group): void {
    if (group.isForgettable) this.remove(group);
  }

  /** Replaces a group by another with the same id. */
  replace(group: Group, by: Group): void {
    if (this.#groups.get(group.groupId) === group) this.#groups.set(group.groupId, by);
  }

  /** The groups that have been read; the others have no waiting requests. */
  known(): Iterable<Group> {
    return this.#groups.values();
  }

  *all(): Generator<Group> {
    for (const groupId of [...this.#unread]) this.find(groupId);
    yield* this.#groups.values();
  }

  /** Encodes the stored entry of a group. */
  encode(group: Group): Buffer {
    this.#writer.u8(typeNumbers[group.type]);
    group.write(this.#writer);
    return this.#writer.take();
  }

  close(): void {
    this.#cancelTurn();
    this.#groups.clear();
    this.#unread.clear();
  }

  #readLater(clock: Clock): void {
    if (this.#unread.size === 0) return;
    this.#cancelTurn = clock.after(turnPauseMs, () => {
      let left = groupsPerTurn;
      for (const groupId of this.#unread) {
        if (left-- === 0) break;
        this.find(groupId);
      }
      this.#readLater(clock);
    });
  }

  #read(groupId: string): void {
    const value = this.#kv.get('group', groupId);
    if (value === undefined) return;
    try {
      const reader = new ByteReader(value);
      const number = reader.u8();
      const type = groupTypes.find((name) => typeNumbers[name] === number);
      const read = type === undefined ? undefined : readers[type];
      if (read === undefined)
        throw new UnreadableBytes(`this release does not support groups of type ${number}`);
      const group = read(groupId, reader, this.#host);
      reader.end();
      this.#groups.set(groupId, group);
      this.#onRead(group);
    } catch (error) {
      if (!(error instanceof UnreadableBytes)) throw error;
      this.#log.error('failed to read group, starting it empty', { groupId, error: error.message });
    }
  }
}
