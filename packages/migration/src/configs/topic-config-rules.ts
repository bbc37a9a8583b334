/**
 * What becomes of the configs that were set for a topic at the source. The list names what is copied; everything else
 * is left out, because an unknown config is an error here, and many configs are about disks that there are not.
 */
export type ConfigRule =
  | { readonly fate: 'copied' }
  /** It is stored and described here, and changes nothing. */
  | { readonly fate: 'without effect'; readonly reason: string }
  | { readonly fate: 'left out'; readonly reason: string };

const copied: ConfigRule = { fate: 'copied' };
const withoutEffect = (reason: string): ConfigRule => ({ fate: 'without effect', reason });
const leftOut = (reason: string): ConfigRule => ({ fate: 'left out', reason });

const batchesKeepCodec = withoutEffect('batches keep the codec of their producer');
const timesAreKept = withoutEffect('times of producers are not limited here');
const noSegments = leftOut('there are no segments on disks here');
const noReplicas = leftOut('the object store replicates the records');
const noTiers = leftOut('all records are in the object store from the start');

// biome-ignore format: a table
const rules: Readonly<Record<string, ConfigRule>> = {
  'cleanup.policy':                          copied,
  'delete.retention.ms':                     copied,
  'max.compaction.lag.ms':                   copied,
  'max.message.bytes':                       copied,
  'message.timestamp.type':                  copied,
  'min.cleanable.dirty.ratio':               copied,
  'min.compaction.lag.ms':                   copied,
  'retention.bytes':                         copied,
  'retention.ms':                            copied,
  'segment.ms':                              copied,
  'compression.type':                        batchesKeepCodec,
  'compression.gzip.level':                  batchesKeepCodec,
  'compression.lz4.level':                   batchesKeepCodec,
  'compression.zstd.level':                  batchesKeepCodec,
  'message.timestamp.after.max.ms':          timesAreKept,
  'message.timestamp.before.max.ms':         timesAreKept,
  'message.timestamp.difference.max.ms':     leftOut('times of producers are not limited here'),
  'message.format.version':                  leftOut('batches of the current format are stored; older ones are rebuilt'),
  'message.downconversion.enable':           leftOut('batches are not converted for clients before 0.11'),
  'file.delete.delay.ms':                    noSegments,
  'flush.messages':                          noSegments,
  'flush.ms':                                noSegments,
  'index.interval.bytes':                    noSegments,
  'preallocate':                             noSegments,
  'segment.bytes':                           noSegments,
  'segment.index.bytes':                     noSegments,
  'segment.jitter.ms':                       noSegments,
  'follower.replication.throttled.replicas': noReplicas,
  'leader.replication.throttled.replicas':   noReplicas,
  'min.insync.replicas':                     noReplicas,
  'unclean.leader.election.enable':          noReplicas,
  'local.retention.bytes':                   noTiers,
  'local.retention.ms':                      noTiers,
  'remote.log.copy.disable':                 noTiers,
  'remote.log.delete.on.disable':            noTiers,
  'remote.storage.enable':                   noTiers,
};

/** Configs of other services have their prefix: `confluent.`, `redpanda.`, `service.` of a Weir. */
const foreign = leftOut('it belongs to the service of the source');
const unknown = leftOut('there is no such config here');

export function topicConfigRule(name: string): ConfigRule {
  if (Object.hasOwn(rules, name)) return rules[name]!;
  return /^(?:confluent|redpanda|service|inkless|diskless|aiven)\./.test(name) ? foreign : unknown;
}
