import { shellWord } from '../../../format/shell-word.ts';
import { jaasValue, literal, propertyValue } from './quoting.ts';

export const securities = {
  PLAINTEXT: 'No login, no TLS',
  SASL_PLAINTEXT: 'User name and password',
  SASL_SSL: 'User name and password over TLS',
  SSL: 'TLS without a login',
} as const;
export type Security = keyof typeof securities;

/** What a client connects with. */
export interface Connection {
  /** `host:port`. */
  readonly bootstrap: string;
  readonly security: Security;
  /** Used where the security has a login. */
  readonly username: string;
  readonly password: string;
  readonly topic: string;
  readonly group: string;
}

export type Purpose = 'produce' | 'consume';

interface Language {
  readonly title: string;
  /** What has to be installed, as a command; empty if it is the program itself. */
  readonly install: string;
  /** Writes one record, and ends. */
  produce(connection: Connection): string;
  /** Reads the records of the topic as a member of the group, from the first one, until it is stopped. */
  consume(connection: Connection): string;
}

const value = 'first record';

const hasLogin = ({ security }: Connection) => security.startsWith('SASL_');
const hasTls = ({ security }: Connection) => security.endsWith('SSL');

/** The settings of librdkafka. */
function librdkafkaSettings(of: Connection): readonly (readonly [name: string, value: string])[] {
  return [
    ['bootstrap.servers', of.bootstrap],
    ...(of.security === 'PLAINTEXT' ? [] : ([['security.protocol', of.security]] as const)),
    ...(hasLogin(of)
      ? ([
          ['sasl.mechanisms', 'PLAIN'],
          ['sasl.username', of.username],
          ['sasl.password', of.password],
        ] as const)
      : []),
  ];
}

/** The settings of Apache Kafka's own clients. */
function javaSettings(of: Connection): readonly (readonly [name: string, value: string])[] {
  const module = 'org.apache.kafka.common.security.plain.PlainLoginModule';
  const login = `${module} required username=${jaasValue(of.username)} password=${jaasValue(of.password)};`;
  return [
    ...(of.security === 'PLAINTEXT' ? [] : ([['security.protocol', of.security]] as const)),
    ...(hasLogin(of)
      ? ([
          ['sasl.mechanism', 'PLAIN'],
          ['sasl.jaas.config', login],
        ] as const)
      : []),
  ];
}

const lines = (...parts: readonly (string | readonly string[])[]) => parts.flat().join('\n');

function pythonSettings(settings: readonly (readonly [string, string])[]): readonly string[] {
  return settings.map(([name, text]) => `    ${literal(name)}: ${literal(text)},`);
}

function kafkaPythonArguments(of: Connection): readonly string[] {
  return [
    `    bootstrap_servers=${literal(of.bootstrap)},`,
    ...(of.security === 'PLAINTEXT' ? [] : [`    security_protocol=${literal(of.security)},`]),
    ...(hasLogin(of)
      ? [
          '    sasl_mechanism="PLAIN",',
          `    sasl_plain_username=${literal(of.username)},`,
          `    sasl_plain_password=${literal(of.password)},`,
        ]
      : []),
  ];
}

function javaProperties(of: Connection): readonly string[] {
  return [['bootstrap.servers', of.bootstrap] as const, ...javaSettings(of)].map(
    ([name, text]) => `        config.put(${literal(name)}, ${literal(text)});`,
  );
}

function goOptions(of: Connection): readonly string[] {
  return [
    `\t\tkgo.SeedBrokers(${literal(of.bootstrap)}),`,
    ...(hasTls(of) ? ['\t\tkgo.DialTLS(),'] : []),
    ...(hasLogin(of)
      ? [
          `\t\tkgo.SASL(plain.Auth{User: ${literal(of.username)}, Pass: ${literal(of.password)}}.AsMechanism()),`,
        ]
      : []),
  ];
}

const goImports = (of: Connection, ...more: readonly string[]) => [
  'import (',
  ...[...more, 'context'].sort().map((name) => `\t"${name}"`),
  '',
  '\t"github.com/twmb/franz-go/pkg/kgo"',
  ...(hasLogin(of) ? ['\t"github.com/twmb/franz-go/pkg/sasl/plain"'] : []),
  ')',
];

function importOf(names: string, module: string): string {
  return `import ${names} from ${literal(module)};`;
}

function kafkajsClient(of: Connection): string {
  const sasl = { mechanism: 'plain', username: of.username, password: of.password };
  const parts = [
    `brokers: [${literal(of.bootstrap)}]`,
    ...(hasTls(of) ? ['ssl: true'] : []),
    ...(hasLogin(of) ? [`sasl: ${literal(sasl)}`] : []),
  ];
  return `const kafka = new Kafka({ ${parts.join(', ')} });`;
}

function platformaticOptions(of: Connection): readonly string[] {
  const sasl = { mechanism: 'PLAIN', username: of.username, password: of.password };
  return [
    "  clientId: 'my-client',",
    `  bootstrapBrokers: [${literal(of.bootstrap)}],`,
    ...(hasTls(of) ? ['  tls: {},'] : []),
    ...(hasLogin(of) ? [`  sasl: ${literal(sasl)},`] : []),
  ];
}

function weirFlags(of: Connection): string {
  return [
    `-bootstrap-host ${shellWord(of.bootstrap)}`,
    ...(hasTls(of) ? ['-tls'] : []),
    ...(hasLogin(of) ? [`-username ${shellWord(of.username)} -password ${shellWord(of.password)}`] : []),
  ].join(' ');
}

function kcatFlags(of: Connection): string {
  const [, ...settings] = librdkafkaSettings(of);
  return [
    `-b ${shellWord(of.bootstrap)}`,
    ...settings.map(([name, text]) => `-X ${shellWord(`${name}=${text}`)}`),
  ].join(' ');
}

/** A file with the settings, if there are any, and the flag that names it. */
function propertiesFile(of: Connection): { readonly file: readonly string[]; readonly hasFile: boolean } {
  const settings = javaSettings(of);
  return {
    hasFile: settings.length > 0,
    file:
      settings.length === 0
        ? []
        : [
            "cat > client.properties <<'END'",
            ...settings.map(([name, text]) => `${name}=${propertyValue(text)}`),
            'END',
          ],
  };
}

/** The clients that people use most, each with a program that works as it is. */
export const languages = {
  weir: {
    title: 'weir CLI',
    install: '',
    produce: (of) => `echo '${value}' | weir cli produce -topic ${shellWord(of.topic)} ${weirFlags(of)}`,
    consume: (of) =>
      `weir cli console-consumer -topic ${shellWord(of.topic)} -group ${shellWord(of.group)} -from-beginning ${weirFlags(of)}`,
  },
  kcat: {
    title: 'kcat',
    install: '',
    produce: (of) => `echo '${value}' | kcat -P ${kcatFlags(of)} -t ${shellWord(of.topic)}`,
    consume: (of) =>
      `kcat -u ${kcatFlags(of)} -X auto.offset.reset=earliest -G ${shellWord(of.group)} ${shellWord(of.topic)}`,
  },
  kafka: {
    title: 'Kafka console tools',
    install: '',
    produce: (of) => {
      const { file, hasFile } = propertiesFile(of);
      const config = hasFile ? ' --producer.config client.properties' : '';
      return lines(
        file,
        `echo '${value}' | kafka-console-producer.sh --bootstrap-server ${shellWord(of.bootstrap)} --topic ${shellWord(of.topic)}${config}`,
      );
    },
    consume: (of) => {
      const { file, hasFile } = propertiesFile(of);
      const config = hasFile ? ' --consumer.config client.properties' : '';
      return lines(
        file,
        `kafka-console-consumer.sh --bootstrap-server ${shellWord(of.bootstrap)} --topic ${shellWord(of.topic)} --group ${shellWord(of.group)} --from-beginning${config}`,
      );
    },
  },
  python: {
    title: 'Python (confluent-kafka)',
    install: 'pip install confluent-kafka',
    produce: (of) =>
      lines(
        'from confluent_kafka import Producer',
        '',
        'producer = Producer({',
        pythonSettings(librdkafkaSettings(of)),
        '})',
        'def delivered(error, record):',
        '    print(error or f"wrote {record.topic()} [{record.partition()}] at {record.offset()}")',
        '',
        `producer.produce(${literal(of.topic)}, value=${literal(value)}, on_delivery=delivered)`,
        'producer.flush()',
      ),
    consume: (of) =>
      lines(
        'from confluent_kafka import Consumer',
        '',
        'consumer = Consumer({',
        pythonSettings([
          ...librdkafkaSettings(of),
          ['group.id', of.group],
          ['auto.offset.reset', 'earliest'],
        ]),
        '})',
        `consumer.subscribe([${literal(of.topic)}])`,
        'try:',
        '    while True:',
        '        record = consumer.poll(1.0)',
        '        if record is None:',
        '            continue',
        '        if record.error():',
        '            raise Exception(record.error())',
        '        print(record.value().decode(), flush=True)',
        'finally:',
        '    consumer.close()',
      ),
  },
  'kafka-python': {
    title: 'Python (kafka-python)',
    install: 'pip install kafka-python',
    produce: (of) =>
      lines(
        'from kafka import KafkaProducer',
        '',
        'producer = KafkaProducer(',
        kafkaPythonArguments(of),
        ')',
        `written = producer.send(${literal(of.topic)}, value=${literal(value)}.encode()).get(timeout=30)`,
        'print(f"wrote {written.topic} [{written.partition}] at {written.offset}")',
        'producer.close()',
      ),
    consume: (of) =>
      lines(
        'from kafka import KafkaConsumer',
        '',
        'consumer = KafkaConsumer(',
        `    ${literal(of.topic)},`,
        kafkaPythonArguments(of),
        `    group_id=${literal(of.group)},`,
        '    auto_offset_reset="earliest",',
        ')',
        'for record in consumer:',
        '    print(record.value.decode(), flush=True)',
      ),
  },
  java: {
    title: 'Java',
    install: 'mvn dependency:get -Dartifact=org.apache.kafka:kafka-clients:4.1.0',
    produce: (of) =>
      lines(
        'import java.util.Properties;',
        'import org.apache.kafka.clients.producer.KafkaProducer;',
        'import org.apache.kafka.clients.producer.ProducerRecord;',
        'import org.apache.kafka.common.serialization.StringSerializer;',
        '',
        'public class Produce {',
        '    public static void main(String[] args) throws Exception {',
        '        var config = new Properties();',
        javaProperties(of),
        '        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {',
        `            var written = producer.send(new ProducerRecord<>(${literal(of.topic)}, ${literal(value)})).get();`,
        '            System.out.println("wrote " + written);',
        '        }',
        '    }',
        '}',
      ),
    consume: (of) =>
      lines(
        'import java.time.Duration;',
        'import java.util.List;',
        'import java.util.Properties;',
        'import org.apache.kafka.clients.consumer.KafkaConsumer;',
        'import org.apache.kafka.common.serialization.StringDeserializer;',
        '',
        'public class Consume {',
        '    public static void main(String[] args) {',
        '        var config = new Properties();',
        javaProperties(of),
        `        config.put("group.id", ${literal(of.group)});`,
        '        config.put("auto.offset.reset", "earliest");',
        '        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {',
        `            consumer.subscribe(List.of(${literal(of.topic)}));`,
        '            while (true) {',
        '                for (var record : consumer.poll(Duration.ofSeconds(1))) System.out.println(record.value());',
        '            }',
        '        }',
        '    }',
        '}',
      ),
  },
  go: {
    title: 'Go (franz-go)',
    install: 'go get github.com/twmb/franz-go/pkg/kgo',
    produce: (of) =>
      lines(
        'package main',
        '',
        goImports(of),
        '',
        'func main() {',
        '\tclient, err := kgo.NewClient(',
        goOptions(of),
        '\t)',
        '\tif err != nil {',
        '\t\tpanic(err)',
        '\t}',
        '\tdefer client.Close()',
        `\trecord := &kgo.Record{Topic: ${literal(of.topic)}, Value: []byte(${literal(value)})}`,
        '\tif err := client.ProduceSync(context.Background(), record).FirstErr(); err != nil {',
        '\t\tpanic(err)',
        '\t}',
        '}',
      ),
    consume: (of) =>
      lines(
        'package main',
        '',
        goImports(of, 'fmt'),
        '',
        'func main() {',
        '\tclient, err := kgo.NewClient(',
        goOptions(of),
        `\t\tkgo.ConsumerGroup(${literal(of.group)}),`,
        `\t\tkgo.ConsumeTopics(${literal(of.topic)}),`,
        '\t\tkgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),',
        '\t)',
        '\tif err != nil {',
        '\t\tpanic(err)',
        '\t}',
        '\tdefer client.Close()',
        '\tfor {',
        '\t\tfetches := client.PollFetches(context.Background())',
        '\t\tif err := fetches.Err(); err != nil {',
        '\t\t\tpanic(err)',
        '\t\t}',
        '\t\tfetches.EachRecord(func(record *kgo.Record) { fmt.Println(string(record.Value)) })',
        '\t}',
        '}',
      ),
  },
  kafkajs: {
    title: 'JavaScript (kafkajs)',
    install: 'npm install kafkajs',
    produce: (of) =>
      lines(
        importOf('{ Kafka }', 'kafkajs'),
        '',
        kafkajsClient(of),
        'const producer = kafka.producer();',
        'await producer.connect();',
        `await producer.send({ topic: ${literal(of.topic)}, messages: [{ value: ${literal(value)} }] });`,
        'await producer.disconnect();',
      ),
    consume: (of) =>
      lines(
        importOf('{ Kafka }', 'kafkajs'),
        '',
        kafkajsClient(of),
        `const consumer = kafka.consumer({ groupId: ${literal(of.group)} });`,
        'await consumer.connect();',
        `await consumer.subscribe({ topic: ${literal(of.topic)}, fromBeginning: true });`,
        'await consumer.run({',
        '  eachMessage: async ({ message }) => console.log(String(message.value)),',
        '});',
      ),
  },
  platformatic: {
    title: 'JavaScript (@platformatic/kafka)',
    install: 'npm install @platformatic/kafka',
    produce: (of) =>
      lines(
        importOf('{ Producer, stringSerializers }', '@platformatic/kafka'),
        '',
        'const producer = new Producer({',
        platformaticOptions(of),
        '  serializers: stringSerializers,',
        '  autocreateTopics: true,',
        '});',
        `await producer.send({ messages: [{ topic: ${literal(of.topic)}, value: ${literal(value)} }] });`,
        'await producer.close();',
      ),
    consume: (of) =>
      lines(
        importOf('{ Consumer, MessagesStreamModes, stringDeserializers }', '@platformatic/kafka'),
        '',
        'const consumer = new Consumer({',
        platformaticOptions(of),
        `  groupId: ${literal(of.group)},`,
        '  deserializers: stringDeserializers,',
        '});',
        'const stream = await consumer.consume({',
        `  topics: [${literal(of.topic)}],`,
        '  mode: MessagesStreamModes.COMMITTED,',
        "  fallbackMode: 'earliest',",
        '  autocommit: true,',
        '});',
        'for await (const message of stream) console.log(message.value);',
      ),
  },
} as const satisfies Record<string, Language>;
export type LanguageName = keyof typeof languages;

export const languageNames = Object.keys(languages) as readonly LanguageName[];
