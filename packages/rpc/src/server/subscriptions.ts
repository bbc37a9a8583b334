import type { ClusterChange, ClusterSnapshot } from '@weir/cluster';
import type { MetricRow, Series } from '@weir/core';
import { type Channel, type EndCode, endCodes } from '../channel/channel.ts';
import { asFrame, type EncodedBody, encodeBody, encodeFrame, frameOf, replyLimits } from '../frames/frame.ts';
import { FrameError } from '../frames/frame-error.ts';
import { packChanges } from '../frames/pack-changes.ts';
import { rpcLimits } from '../limits.ts';
import { failureOf } from './answers.ts';
import type { LeaderWait } from './leader-wait.ts';
import type { ServeOptions } from './serve-options.ts';
import type { Redirection, ServedCluster } from './served-cluster.ts';

export const skippedRow: MetricRow<never> = {
  name: 'agent_rpc_followers_skipped_total',
  kind: 'counter',
  help: 'Followers that fell behind the changes and were sent a snapshot.',
  labels: [],
};

/** How often a follower that fell behind is checked. */
const catchUpIntervalMs = 50;

interface EncodedChanges {
  readonly body: EncodedBody;
  /** The frame of the first follower, and its subscription. */
  readonly id: number;
  readonly frame: Uint8Array;
}

/**
 * All followers of a cluster get the same changes, and a leader passes the same list object to each, so it is encoded
 * once. Almost all of them have the same number for their subscription, the first of their client, and get the same
 * frame.
 */
const encodedChanges = new WeakMap<readonly ClusterChange[], EncodedChanges>();

interface Subscription {
  stop: () => void;
  isSkipping: boolean;
}

/** The connection of the subscriptions. */
interface SubscribedConnection {
  readonly channel: Channel;
  readonly leaders: LeaderWait;
  close(code: EndCode, reason: string): void;
  /** Redirects the follower to the leader, unless the client has been redirected before. */
  turnAway(id: number, redirection: Redirection): void;
}

/** Followers of the cluster over one connection: each gets a snapshot, then the changes. */
export class Subscriptions {
  readonly #options: ServeOptions;
  readonly #connection: SubscribedConnection;
  readonly #skipped: Series;
  readonly #byId = new Map<number, Subscription>();
  #snapshotBytes = 0;

  constructor(options: ServeOptions, connection: SubscribedConnection) {
    this.#options = options;
    this.#connection = connection;
    this.#skipped = options.metrics.series(skippedRow, {});
  }

  /**
   * Size of the last snapshot. A snapshot of any size is allowed, because it is the way to catch up; limits of unsent
   * bytes count from its end.
   */
  get snapshotBytes(): number {
    return this.#snapshotBytes;
  }

  follow(id: number): void {
    if (this.#byId.has(id)) throw new FrameError(`subscription ${id} exists`);
    if (this.#byId.size >= rpcLimits.rpcRunningCallsMax) throw new FrameError('too many subscriptions');
    const subscription: Subscription = { stop: () => {}, isSkipping: false };
    this.#byId.set(id, subscription);
    this.#start(id, subscription);
  }

  unfollow(id: number): void {
    const subscription = this.#byId.get(id);
    this.#byId.delete(id);
    subscription?.stop();
  }

  stopAll(): void {
    for (const { stop } of this.#byId.values()) stop();
    this.#byId.clear();
  }

  #start(id: number, subscription: Subscription): void {
    const { cluster: served, clusterId } = this.#options;
    const cluster = served();
    if (cluster === undefined) {
      this.#connection.close(endCodes.tryAgain, `cluster ${clusterId} is not available here now`);
      return;
    }
    subscription.isSkipping = false;
    const isCurrent = () => this.#byId.get(id) === subscription && !subscription.isSkipping;
    let isStopped = false;
    /** Errors here must not reach the leader. */
    const deliver = (push: () => void) => {
      if (isStopped || !isCurrent()) return;
      try {
        push();
      } catch (error) {
        const { message } = failureOf(error, 'follow', this.#options);
        this.#connection.close(endCodes.tryAgain, message);
      }
    };
    const stop = cluster.follow({
      onSnapshot: (snapshot) => deliver(() => this.#pushSnapshot(id, snapshot)),
      onChanges: (changes) => deliver(() => this.#pushChanges(id, subscription, changes)),
    });
    const stopWatching = this.#watchLeader(id, cluster, () => !isStopped && isCurrent());
    subscription.stop = () => {
      isStopped = true;
      stopWatching();
      stop();
    };
    // The follower may have fallen behind, or the connection ended, before the port returned.
    if (!isCurrent()) subscription.stop();
  }

  /**
   * Redirects a follower to the leader when this process does not lead, at once or later. A client that only follows
   * makes no call that would redirect it.
   */
  #watchLeader(id: number, cluster: ServedCluster, isCurrent: () => boolean): () => void {
    const { leaders, turnAway } = this.#connection;
    let isChecking = false;
    const check = async () => {
      if (isChecking) return;
      isChecking = true;
      const deadlineMs = leaders.deadlineMs();
      for (;;) {
        const redirection = isCurrent() ? cluster.notLeader?.() : undefined;
        if (redirection === undefined) break;
        if (await leaders.hasLeaderChanged(cluster, redirection.leaderUrl, deadlineMs)) continue;
        if (isCurrent()) turnAway(id, redirection);
        break;
      }
      isChecking = false;
    };
    const stopListening = cluster.onLeader?.(() => void check());
    void check();
    return () => stopListening?.();
  }

  #pushSnapshot(id: number, snapshot: ClusterSnapshot): void {
    const frame = encodeFrame('snapshot', id, snapshot);
    if (frame.length > replyLimits.frameBytesMax) {
      throw new RangeError(
        `snapshot of ${frame.length} bytes exceeds the limit of ${replyLimits.frameBytesMax}`,
      );
    }
    this.#snapshotBytes = frame.length;
    this.#connection.channel.send(frame);
  }

  #pushChanges(id: number, subscription: Subscription, changes: readonly ClusterChange[]): void {
    const { channel } = this.#connection;
    let encoded = encodedChanges.get(changes);
    if (encoded === undefined) {
      const body = encodeBody(packChanges(changes));
      encoded = { body, id, frame: asFrame('changes', id, body) };
      encodedChanges.set(changes, encoded);
    }
    const { body, frame } = encoded;
    const unsent = channel.unsentBytes();
    if (unsent + frame.length <= rpcLimits.rpcQueuedPushBytesMax + this.#snapshotBytes) {
      channel.send(encoded.id === id ? frame : frameOf('changes', id, body));
      return;
    }
    const { log, clusterId } = this.#options;
    this.#skipped.add(1);
    log.info('dropped changes for slow agent, sending a snapshot later', { clusterId, unsent });
    subscription.isSkipping = true;
    subscription.stop();
    this.#catchUp(id, subscription);
  }

  #catchUp(id: number, subscription: Subscription): void {
    this.#options.clock.after(catchUpIntervalMs, () => {
      if (this.#byId.get(id) !== subscription) return;
      const isBehind = this.#connection.channel.unsentBytes() > rpcLimits.rpcQueuedPushBytesMax / 4;
      if (isBehind) this.#catchUp(id, subscription);
      else this.#start(id, subscription);
    });
  }
}
