import { type Clock, Metrics, seededRandom, silentLog } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import type { Apis } from '@weir/wire';
import type { ClusterView } from '../src/cluster/cluster-view.ts';
import { DamageRegistry } from '../src/damage/damage-registry.ts';
import { FetchSessions } from '../src/fetch/fetch-sessions.ts';
import { produceHandler } from '../src/handlers/00-produce.ts';
import { fetchHandler } from '../src/handlers/01-fetch.ts';
import { listOffsetsHandler } from '../src/handlers/02-list-offsets.ts';
import { shareFetchHandler } from '../src/handlers/78-share-fetch.ts';
import { shareAcknowledgeHandler } from '../src/handlers/79-share-acknowledge.ts';
import { createReadPath } from '../src/read-path/read-path.ts';
import type { HandlerOf } from '../src/requests/handler.ts';
import { ShareService } from '../src/share/share-service.ts';
import { createWritePath } from '../src/write-path/file-write-path.ts';

interface DataHandlers {
  readonly produce: HandlerOf<Apis['Produce']>;
  readonly fetch: HandlerOf<Apis['Fetch']>;
  readonly listOffsets: HandlerOf<Apis['ListOffsets']>;
  readonly shareFetch: HandlerOf<Apis['ShareFetch']>;
  readonly shareAcknowledge: HandlerOf<Apis['ShareAcknowledge']>;
}

/** Both paths of an agent over a view that is ready, without a flush window. */
export function dataHandlers(
  cluster: ClusterView,
  store: ObjectStore,
  clock: Clock,
  roles: readonly string[] = ['proxy'],
): DataHandlers {
  const shared = { cluster, store, clock, random: seededRandom(1), log: silentLog, metrics: new Metrics() };
  const readPath = createReadPath({
    ...shared,
    pages: { pageBytes: 4 << 20, cacheBytesMax: 64 << 20, ownFiles: 'copy' },
  });
  const writePath = createWritePath({
    ...shared,
    clusterId: cluster.clusterId,
    flush: { windowMs: 0, uncompressedBytesMax: 64 << 20, compressedBytesMax: 1 << 20 },
    inflightFilesMax: 64,
    bufferedBytesMax: 64 << 20,
    onStored: (file) => readPath.adopt(file),
  });
  const damage = new DamageRegistry({ ...shared, view: cluster });
  const share = new ShareService({ port: cluster.port, readPath, damage, requestBytesMax: 256 << 20 });
  return {
    produce: produceHandler({ ...shared, roles, writePath, recordBytesMax: 32 << 20 }),
    fetch: fetchHandler({
      roles,
      readPath,
      damage,
      sessions: new FetchSessions(shared),
      requestBytesMax: 256 << 20,
      partitionBytesMax: 256 << 20,
    }),
    listOffsets: listOffsetsHandler({ readPath, damage }),
    shareFetch: shareFetchHandler(share, { roles }),
    shareAcknowledge: shareAcknowledgeHandler(share),
  };
}
