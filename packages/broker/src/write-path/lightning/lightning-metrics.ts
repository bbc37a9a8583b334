import { durationBucketsSeconds, type MetricRow } from '@weir/core';

/** Of lightning topics, and of all topics with ripcord. The names are those that dashboards know. */
export const lightningRows = {
  replayed: {
    name: 'agent_ripcord_replayed_file',
    kind: 'counter',
    help: 'Files of lightning topics committed after their records were acknowledged: by the agent that wrote them (live=true), or by a job after that agent was gone.',
    labels: ['live'],
  } as MetricRow<'live'>,
  closed: {
    name: 'agent_ripcord_sequence_closed',
    kind: 'counter',
    help: 'Sequences of files of lightning topics that this agent closed because all of them were committed.',
    labels: [],
  } as MetricRow<never>,
  outstanding: {
    name: 'agent_ripcord_outstanding_replays_count',
    kind: 'gauge',
    help: 'Files of lightning topics whose records this agent has acknowledged and not committed yet.',
    labels: [],
  } as MetricRow<never>,
  oldest: {
    name: 'agent_ripcord_oldest_replay_age',
    kind: 'gauge',
    help: 'With -enableRipcord: seconds since the oldest file was stored whose records this agent has acknowledged and that is not committed yet. 0 if there is none.',
    labels: [],
  } as MetricRow<never>,
  latency: {
    name: 'agent_ripcord_ingestion_latency',
    kind: 'histogram',
    help: 'Seconds from the acknowledgement of the records of a lightning topic until their commit, when consumers see them.',
    labels: [],
    buckets: durationBucketsSeconds,
  } as MetricRow<never>,
};
