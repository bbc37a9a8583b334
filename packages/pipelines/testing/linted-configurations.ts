/** A configuration whose verdict is compared with Bento's. */
interface LintedConfiguration {
  readonly yaml: string;
  /** Why ours may differ. */
  readonly differs?: string;
}

const input = 'input: {generate: {mapping: root = 1}}';
const output = 'output: {drop: {}}';

export const lintedConfigurations: readonly LintedConfiguration[] = [
  { yaml: `${input}\n${output}` },
  { yaml: `${input}\n${output}\nfoo: 1` },
  { yaml: `input: {generat: {}}\n${output}` },
  { yaml: `input: {generate: {mapping: root = = (}}\n${output}` },
  { yaml: `input: {generate: {}}\n${output}` },
  {
    yaml: `input: {generate: {mapping: root = 1, count: many}}\n${output}`,
    differs: 'Bento notices it when the pipeline starts',
  },
  { yaml: `input: {generate: {mapping: root = 1, count: "3"}}\n${output}` },
  { yaml: `${input}\noutput: {label: A, drop: {}}` },
  { yaml: `${input}\noutput: {label: _a, drop: {}}` },
  { yaml: `input: {label: a, generate: {mapping: root = 1}}\noutput: {label: a, drop: {}}` },
  { yaml: `${input}\noutput: {drop: {}, reject: no}` },
  { yaml: `${input}\npipeline: {processors: [{mapping: root = this}]}\n${output}` },
  { yaml: `${input}\npipeline: {processors: [{mapping: [root = this]}]}\n${output}` },
  { yaml: `${input}\npipeline: {processors: {mapping: root = this}}\n${output}` },
  { yaml: `${input}\npipeline: {processors: [{mappin: root = this}]}\n${output}` },
  {
    yaml: `${input}\npipeline: {threads: x}\n${output}`,
    differs: 'Bento notices it when the pipeline starts',
  },
  {
    yaml: `${input}\npipeline: {processors: [{resource: nowhere}]}\n${output}`,
    differs: 'Bento notices it when the pipeline starts',
  },
  { yaml: `${input}\npipeline: {processors: [{switch: [{check: this.a, processors: []}]}]}\n${output}` },
  { yaml: `${input}\npipeline: {processors: [{switch: {check: this.a}}]}\n${output}` },
  {
    yaml: `${input}\npipeline: {processors: [{branch: {processors: [{mapping: root = 1}], result_map: root.a = this}}]}\n${output}`,
  },
  { yaml: `${input}\npipeline: {processors: [{branch: {result_map: root.a = }}]}\n${output}` },
  { yaml: `${input}\noutput: {broker: {outputs: [{drop: {}}, {drop: {}}], pattern: fan_out}}` },
  { yaml: `${input}\noutput: {broker: {outputs: [{drop: {}}], pattern: nowhere}}` },
  {
    yaml: `${input}\noutput: {switch: {cases: [{check: this.a, output: {drop: {}}}]}}`,
    differs: 'Bento notices it when the pipeline starts',
  },
  { yaml: `${input}\noutput: {fallback: [{drop: {}}, {reject: no}]}` },
  { yaml: `${input}\noutput: {kafka_franz: {seed_brokers: ["localhost:9092"], topic: a}}` },
  {
    yaml: `${input}\noutput: {kafka_franz: {seed_brokers: ["localhost:9092"], topic: a, batching: {count: 10, period: 1s}}}`,
  },
  {
    yaml: `${input}\noutput: {kafka_franz: {topic: a}}`,
    differs: 'Bento notices it when the pipeline starts',
  },
  {
    yaml: `${input}\noutput: {kafka_franz: {seed_brokers: ["localhost:9092"], topic: a, kompression: gzip}}`,
  },
  {
    yaml: `input: {kafka_franz: {seed_brokers: ["localhost:9092"], topics: [a], consumer_group: g}}\n${output}`,
  },
  { yaml: `input: {kafka: {addresses: ["localhost:9092"], topics: [a], consumer_group: g}}\n${output}` },
  { yaml: `${input}\ncache_resources: [{label: c, memory: {default_ttl: 5m}}]\n${output}` },
  { yaml: `${input}\ncache_resources: [{memory: {}}]\n${output}` },
  { yaml: `${input}\nbuffer: {memory: {limit: 1000}}\n${output}` },
  { yaml: `${input}\nbuffer: {nothing: {}}\n${output}` },
  { yaml: `${input}\nerror_handling: {strategy: reject}\n${output}` },
  { yaml: `${input}\nerror_handling: {strategy: never}\n${output}` },
  { yaml: `${input}\nshutdown_timeout: 10s\n${output}` },
];
