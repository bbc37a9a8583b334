import { shellWord } from '../../format/shell-word.ts';

interface Connection {
  readonly bootstrap: string;
  readonly username: string;
  readonly password: string;
}

/** Three ways to write the first record, each to paste as it is. The topic is made by the first of them. */
export function connectCommands({
  bootstrap,
  username,
  password,
}: Connection): readonly (readonly [label: string, text: string])[] {
  const login = { username, password };
  return [
    [
      'weir CLI',
      [
        `export LOGIN="-bootstrap-host ${bootstrap} -username ${shellWord(username)} -password ${shellWord(password)}"`,
        'weir cli create-topic -topic hello $LOGIN',
        "echo 'first record' | weir cli produce -topic hello $LOGIN",
        'weir cli fetch -topic hello -offset earliest $LOGIN',
      ].join('\n'),
    ],
    [
      'kcat',
      `kcat -b ${bootstrap} -X security.protocol=SASL_PLAINTEXT -X sasl.mechanisms=PLAIN -X sasl.username=${shellWord(username)} -X sasl.password=${shellWord(password)} -L`,
    ],
    [
      'JavaScript (kafkajs)',
      [
        `import { Kafka } from ${JSON.stringify('kafkajs')};`,
        `const kafka = new Kafka({ brokers: [${JSON.stringify(bootstrap)}], sasl: ${JSON.stringify({ mechanism: 'plain', ...login })} });`,
        'const producer = kafka.producer();',
        'await producer.connect();',
        "await producer.send({ topic: 'hello', messages: [{ value: 'first record' }] });",
        'await producer.disconnect();',
      ].join('\n'),
    ],
  ];
}
