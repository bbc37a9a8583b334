import { shellWord } from '../../format/shell-word.ts';

interface RecordPlace {
  readonly clusterId: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Of an agent, `host:port`. */
  readonly bootstrap: string;
  /** Of the console. */
  readonly origin: string;
}

/** Commands that read the same record. None has a secret. */
export function commandsFor({ clusterId, topic, partition, offset, bootstrap, origin }: RecordPlace) {
  const body = JSON.stringify({
    virtual_cluster_id: clusterId,
    topic_name: topic,
    partitions: [partition],
    start: 'offset',
    offset,
    limit: 1,
    whole: true,
  });
  return {
    kcat: `kcat -b ${shellWord(bootstrap)} -C -t ${shellWord(topic)} -p ${partition} -o ${offset} -c 1 -e -J`,
    weir: `weir cli fetch -bootstrap-host ${shellWord(bootstrap)} -topic ${shellWord(topic)} -partition ${partition} -offset ${offset} -max-records 1`,
    curl: `curl -s ${shellWord(`${origin}/api/v1/read_records`)} -H "service-api-key: $WEIR_API_KEY" -H 'content-type: application/json' -d ${shellWord(body)}`,
  } as const;
}
