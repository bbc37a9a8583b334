import type { ClusterPort, ShareError } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { SaidOfPartition } from './acknowledgements.ts';
import { shareAcknowledgements } from './share-calls.ts';
import type { ShareReading } from './share-fetch.ts';
import { type ShareSession, ShareSessions } from './share-sessions.ts';

interface ShareServiceOptions extends Omit<ShareReading, 'acknowledgements'> {
  readonly port: ClusterPort;
}

/** What became of what a request said of records. */
export interface Acknowledged {
  /** Of the request as a whole. */
  readonly error: ShareError;
  readonly lockMs: number;
  /** In the order of what was said. */
  readonly errors: readonly ErrorName[];
}

/** What ShareFetch and ShareAcknowledge have in common: the sessions of members, and what they say of records. */
export class ShareService {
  readonly reading: ShareReading;
  readonly sessions: ShareSessions;

  constructor(options: ShareServiceOptions) {
    const acknowledgements = shareAcknowledgements(options.port);
    this.reading = { ...options, acknowledgements };
    this.sessions = new ShareSessions({
      onLost: (session) => {
        // If nobody hears of it, locks and sessions of members end by themselves.
        this.acknowledge(session, [], true).catch(() => undefined);
      },
    });
  }

  /** Passes on what was said and, when the session ends, gives back whatever its member still has of its partitions. */
  async acknowledge(
    { groupId, memberId, partitions }: ShareSession,
    said: readonly SaidOfPartition[],
    isOver: boolean,
  ): Promise<Acknowledged> {
    const sent = said.flatMap(({ acknowledged }) => acknowledged ?? []);
    const released = isOver ? [...partitions.values()] : [];
    if (sent.length === 0 && released.length === 0) {
      return { error: 'NONE', lockMs: 0, errors: said.map(problemOf) };
    }
    const asked = this.reading.acknowledgements.ask({ groupId, memberId, partitions: sent, released });
    const answer = await ifAvailable(asked);
    if (answer === undefined) return { error: 'COORDINATOR_LOAD_IN_PROGRESS', lockMs: 0, errors: [] };
    if (answer.error !== 'NONE') return { error: answer.error, lockMs: 0, errors: [] };
    let next = 0;
    const errors = said.map((one) =>
      one.acknowledged === undefined ? problemOf(one) : answer.partitions[next++]!,
    );
    return { error: 'NONE', lockMs: answer.lockMs, errors };
  }
}

function problemOf({ refusal }: SaidOfPartition): ErrorName {
  return refusal ?? 'INVALID_REQUEST';
}
