import type { ClusterChange, ClusterFollower, ClusterSnapshot } from '@weir/cluster';
import type { Log } from '@weir/core';
import { metadataLimits } from '../limits.ts';

/** Requests a snapshot, which is delivered between the changes that it contains and those that it lacks. */
type SnapshotRequest = (deliver: (snapshot: ClusterSnapshot) => void) => void;

/**
 * The followers of a cluster. Each has its own queue, which is drained after the leader's work, so that a follower
 * never delays a commit. All of them get the same list object, so that it can be encoded once.
 */
export class Followers {
  readonly #log: Log;
  readonly #all = new Set<Follower>();
  #requestSnapshot: SnapshotRequest | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Starts a term: all followers get a snapshot and the changes after it. */
  begin(requestSnapshot: SnapshotRequest): void {
    this.#requestSnapshot = requestSnapshot;
    for (const follower of this.#all) follower.begin(requestSnapshot);
  }

  /** Ends a term: all followers wait. */
  pause(): void {
    this.#requestSnapshot = undefined;
    for (const follower of this.#all) follower.pause();
  }

  add(target: ClusterFollower): () => void {
    const follower = new Follower(target, this.#log);
    this.#all.add(follower);
    if (this.#requestSnapshot !== undefined) follower.begin(this.#requestSnapshot);
    return () => {
      this.#all.delete(follower);
      follower.pause();
    };
  }

  push(changes: readonly ClusterChange[]): void {
    for (const follower of this.#all) follower.push(changes);
  }
}

class Follower {
  readonly #target: ClusterFollower;
  readonly #log: Log;
  #requestSnapshot: SnapshotRequest | undefined;
  /** Each start has a number, so that events of an earlier one are not delivered. */
  #beginning = 0;
  #hasSnapshot = false;
  #queue: (ClusterSnapshot | readonly ClusterChange[])[] = [];
  #queuedChanges = 0;

  constructor(target: ClusterFollower, log: Log) {
    this.#target = target;
    this.#log = log;
  }

  begin(requestSnapshot: SnapshotRequest): void {
    this.pause();
    this.#requestSnapshot = requestSnapshot;
    const beginning = this.#beginning;
    requestSnapshot((snapshot) => {
      if (beginning !== this.#beginning) return;
      this.#hasSnapshot = true;
      this.#enqueue(snapshot);
    });
  }

  pause(): void {
    this.#beginning++;
    this.#requestSnapshot = undefined;
    this.#hasSnapshot = false;
    this.#queue = [];
    this.#queuedChanges = 0;
  }

  push(changes: readonly ClusterChange[]): void {
    if (!this.#hasSnapshot) return;
    this.#queuedChanges += changes.length;
    // That many changes cost more than a new snapshot.
    if (this.#queuedChanges > metadataLimits.followerChangesMax) this.begin(this.#requestSnapshot!);
    else this.#enqueue(changes);
  }

  #enqueue(event: ClusterSnapshot | readonly ClusterChange[]): void {
    this.#queue.push(event);
    if (this.#queue.length === 1) queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    const queue = this.#queue;
    const beginning = this.#beginning;
    this.#queue = [];
    this.#queuedChanges = 0;
    for (const event of queue) {
      // The follower may have unsubscribed during the previous event.
      if (beginning !== this.#beginning) return;
      try {
        if (isChanges(event)) this.#target.onChanges(event);
        else this.#target.onSnapshot(event);
      } catch (error) {
        this.#log.error('failed to notify follower', { error: String(error) });
      }
    }
  }
}

function isChanges(event: ClusterSnapshot | readonly ClusterChange[]): event is readonly ClusterChange[] {
  return Array.isArray(event);
}
