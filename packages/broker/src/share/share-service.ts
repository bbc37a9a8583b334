import type { ClusterPort, ShareError } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { PartitionAcknowledgements } from './acknowledgements.ts';
import { shareAcknowledgements } from './share-calls.ts';
import type { ShareReading } from './share-fetch.ts';
import { type ShareSession, ShareSessions } from './share-sessions.ts';

interface ShareServiceOptions extends Omit<ShareReading, 'acknowledgements'> {
  readonly port: ClusterPort;
}

/** Outcome of the acknowledgements of a request. */
export interface Acknowledged {
  /** Error of the request as a whole. */
  readonly error: ShareError;
  readonly lockMs: number;
  /** In the order of the acknowledgements. */
  readonly errors: readonly ErrorName[];
}

/** Shared by ShareFetch and ShareAcknowledge: the sessions of members, and their acknowledgements. */
export class ShareService {
  readonly reading: ShareReading;
  readonly sessions: ShareSessions;

  constructor(options: ShareServiceOptions) {
    const acknowledgements = shareAcknowledgements(options.port);
    this.reading = { ...options, acknowledgements };
    this.sessions = new ShareSessions({
      onLost: (session) => {
        // If the call fails, locks and member sessions expire by themselves.
        this.acknowledge(session, [], true).catch(() => undefined);
      },
    });
  }

  /**
   * Sends acknowledgements and, when the session ends, releases all records that its member still holds in its
   * partitions.
   */
  async acknowledge(
    { groupId, memberId, partitions }: ShareSession,
    acknowledgements: readonly PartitionAcknowledgements[],
    isOver: boolean,
  ): Promise<Acknowledged> {
    const sent = acknowledgements.flatMap(({ acknowledged }) => acknowledged ?? []);
    const released = isOver ? [...partitions.values()] : [];
    if (sent.length === 0 && released.length === 0) {
      return { error: 'NONE', lockMs: 0, errors: acknowledgements.map(problemOf) };
    }
    const call = this.reading.acknowledgements.ask({ groupId, memberId, partitions: sent, released });
    const answer = await ifAvailable(call);
    if (answer === undefined) return { error: 'COORDINATOR_LOAD_IN_PROGRESS', lockMs: 0, errors: [] };
    if (answer.error !== 'NONE') return { error: answer.error, lockMs: 0, errors: [] };
    let next = 0;
    const errors = acknowledgements.map((one) =>
      one.acknowledged === undefined ? problemOf(one) : answer.partitions[next++]!,
    );
    return { error: 'NONE', lockMs: answer.lockMs, errors };
  }
}

function problemOf({ refusal }: PartitionAcknowledgements): ErrorName {
  return refusal ?? 'INVALID_REQUEST';
}
