import { bool, int8, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client reads configurations with their sources (KIP-133).
 *
 * KIP-896 left v1, the first with sources and synonyms (KIP-226), as the oldest. v2 throttles after the
 * answer (KIP-219), v3 adds types and documentation (KIP-569), v4 the flexible encoding.
 * Kafka Connect refuses to start unless `cleanup.policy` of its topics reads exactly `compact`; Debezium
 * wants `default.replication.factor` of a broker.
 */
export const describeConfigs = defineApi({
  key: 32,
  name: 'DescribeConfigs',
  versions: '1-4',
  flexible: '4+',
  request: {
    resources: structs({
      /** 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group. */
      resourceType: int8(),
      /** A broker id must be that of the broker asked; empty for what all brokers share. */
      resourceName: string(),
      /** Null for all. */
      configurationKeys: listOf(string, { nullable: true }),
    }),
    includeSynonyms: bool({ default: false }),
    includeDocumentation: bool({ versions: '3+', default: false }),
  },
  response: {
    throttleTimeMs: int32(),
    results: structs({
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
      resourceType: int8(),
      resourceName: string(),
      configs: structs({
        name: string(),
        /** Null if sensitive. */
        value: string({ nullable: true }),
        readOnly: bool(),
        /** 1 topic, 2 broker, 3 all brokers, 4 static, 5 default, 6 logger, 7 client metrics, 8 group. */
        configSource: int8({ default: -1 }),
        isSensitive: bool(),
        /** All that set it, the most specific first, under their own names (log.retention.ms and so on). */
        synonyms: structs({
          name: string(),
          value: string({ nullable: true }),
          /** As configSource. */
          source: int8(),
        }),
        /** 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class, 9 password; 0 unknown. */
        configType: int8({ versions: '3+', default: 0, ignorable: true }),
        documentation: string({ versions: '3+', nullable: true, ignorable: true }),
      }),
    }),
  },
});
