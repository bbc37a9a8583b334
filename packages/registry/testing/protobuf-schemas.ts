/** Random Protobuf schemas and changes of them. Most are valid; the others break one of the language's rules. */

interface ModelField {
  name: string;
  number: number;
  label: 'optional' | 'required' | 'repeated' | undefined;
  /** A scalar, or the name of a type. */
  type: string;
  mapKey: string | undefined;
  oneof: string | undefined;
  options: string[];
}

interface ModelMessage {
  name: string;
  fields: ModelField[];
  messages: ModelMessage[];
  enums: ModelEnum[];
  reserved: string[];
}

interface ModelEnum {
  name: string;
  values: { name: string; number: number }[];
  alias: boolean;
}

interface ModelSchema {
  syntax: 'proto2' | 'proto3' | 'editions';
  packageName: string;
  messages: ModelMessage[];
  enums: ModelEnum[];
  /** Options of the file. */
  options: string[];
}

export type Random = () => number;

/** A sequence of numbers from 0 up to 1 that depends on the seed alone. */
export const randomOf = (seed: number): Random => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

export const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)]!;
const chance = (random: Random, share: number): boolean => random() < share;
const count = (random: Random, max: number): number => Math.floor(random() * (max + 1));

export const scalarNames = [
  'int32',
  'int64',
  'uint32',
  'uint64',
  'sint32',
  'sint64',
  'fixed32',
  'fixed64',
  'sfixed32',
  'sfixed64',
  'float',
  'double',
  'bool',
  'string',
  'bytes',
] as const;

const importedTypes = ['google.protobuf.Timestamp', 'google.protobuf.Struct', 'google.protobuf.Int64Value'];

/** How often a rule of the language is broken. */
export interface Faults {
  readonly share: number;
}

/** A random schema. `prefix` makes its package and file unlike those of other schemas. */
export const randomSchema = (random: Random, prefix: string, faults: Faults): ModelSchema => {
  const schema: ModelSchema = {
    syntax: pick(random, ['proto2', 'proto3', 'proto3', 'editions'] as const),
    packageName: chance(random, 0.5) ? prefix : `${prefix}.inner`,
    messages: [],
    enums: [],
    options: chance(random, 0.2) ? ['java_package = "a.b"', 'optimize_for = SPEED'] : [],
  };
  if (schema.syntax === 'editions' && chance(random, 0.4)) {
    schema.options.push(
      `features.${pick(random, chance(random, faults.share) ? editionFeatures : fileFeatures)}`,
    );
  }
  const names = ['Alpha', 'Beta', 'Gamma', 'Delta'];
  for (let at = 0; at <= count(random, 2); at += 1) schema.messages.push(emptyModel(random, names[at]!, 0));
  for (let at = 0; at < count(random, 2); at += 1) {
    schema.enums.push(randomEnum(random, `Kind${at}`, faults, schema.syntax));
  }
  const addAll = (messages: readonly ModelMessage[], scope: readonly string[]) => {
    for (const message of messages) {
      if (chance(random, 0.4))
        message.enums.push(randomEnum(random, `${message.name}Kind`, faults, schema.syntax));
      addAll(message.messages, [...scope, message.name]);
    }
  };
  addAll(schema.messages, []);
  const types = typesOf(schema);
  const fill = (message: ModelMessage) => {
    addFields(random, message, schema, types, faults);
    for (const child of message.messages) fill(child);
  };
  for (const message of schema.messages) fill(message);
  return schema;
};

const emptyModel = (random: Random, name: string, depth: number): ModelMessage => {
  const message: ModelMessage = { name, fields: [], messages: [], enums: [], reserved: [] };
  if (depth < 2) {
    for (let at = 0; at < count(random, 2 - depth); at += 1) {
      message.messages.push(emptyModel(random, pick(random, ['Inner', 'Part', 'Item']) + at, depth + 1));
    }
  }
  return message;
};

const randomEnum = (
  random: Random,
  name: string,
  faults: Faults,
  syntax: ModelSchema['syntax'],
): ModelEnum => {
  const first = syntax === 'proto2' ? pick(random, [0, 1, -3]) : chance(random, faults.share) ? 1 : 0;
  const values = [{ name: `${name.toUpperCase()}_NONE`, number: first }];
  for (let at = 1; at <= count(random, 3); at += 1) {
    const number = chance(random, faults.share) ? first : first + at * 2;
    const label = chance(random, faults.share) ? values[0]!.name : `${name.toUpperCase()}_V${at}`;
    values.push({ name: label, number });
  }
  return { name, values, alias: chance(random, faults.share) };
};

/** Full names of the types of a schema, with what they are. */
const typesOf = (schema: ModelSchema): { name: string; isEnum: boolean }[] => {
  const found: { name: string; isEnum: boolean }[] = [];
  const add = (prefix: string, messages: readonly ModelMessage[], enums: readonly ModelEnum[]) => {
    for (const { name } of enums) found.push({ name: `${prefix}.${name}`, isEnum: true });
    for (const message of messages) {
      found.push({ name: `${prefix}.${message.name}`, isEnum: false });
      add(`${prefix}.${message.name}`, message.messages, message.enums);
    }
  };
  add(schema.packageName, schema.messages, schema.enums);
  return found;
};

const addFields = (
  random: Random,
  message: ModelMessage,
  schema: ModelSchema,
  types: readonly { name: string; isEnum: boolean }[],
  faults: Faults,
): void => {
  const numbers = [1, 2, 3, 4, 5, 6, 15, 16, 17, 2047, 2048, 536_870_911];
  const oneof = chance(random, 0.4) ? 'choice' : undefined;
  for (let at = 0; at < count(random, 6); at += 1) {
    const broken = chance(random, faults.share);
    const number = broken ? pick(random, [1, 2, 19_500, 0, 7]) : numbers[at * 2 - (at > 5 ? 5 : 0)]!;
    const field: ModelField = {
      name: broken && chance(random, 0.3) ? 'field_0' : `field_${at}`,
      number,
      label: undefined,
      type: randomType(random, types, faults),
      mapKey: undefined,
      oneof: undefined,
      options: [],
    };
    shapeField(random, field, schema, oneof, faults);
    message.fields.push(field);
  }
  if (chance(random, 0.3))
    message.reserved.push(pick(random, ['100 to 200', '7, 9', '"gone", "lost"', '1000 to max']));
  if (chance(random, faults.share))
    message.reserved.push(pick(random, ['1 to 3', '"field_1"', '150', '5 to 4']));
};

const randomType = (
  random: Random,
  types: readonly { name: string; isEnum: boolean }[],
  faults: Faults,
): string => {
  if (chance(random, faults.share))
    return pick(random, ['Missing', 'Alpha.Missing', '.Alpha', 'inner.Alpha', 'choice']);
  if (chance(random, 0.5) || types.length === 0) return pick(random, scalarNames);
  if (chance(random, 0.2)) return pick(random, importedTypes);
  const { name } = pick(random, types);
  // Spelled in full, or by its last parts, which may mean another type or none.
  if (chance(random, 0.7)) return `.${name}`;
  return name
    .split('.')
    .slice(-1 - count(random, 2))
    .join('.');
};

const shapeField = (
  random: Random,
  field: ModelField,
  schema: ModelSchema,
  oneof: string | undefined,
  faults: Faults,
): void => {
  const { syntax } = schema;
  if (oneof !== undefined && chance(random, 0.4)) {
    field.oneof = oneof;
  } else if (chance(random, 0.15)) {
    field.mapKey = pick(
      random,
      chance(random, faults.share) ? ['float', 'bytes', 'Alpha'] : ['string', 'int32', 'bool', 'fixed64'],
    );
  } else if (syntax === 'proto2') {
    field.label = pick(random, ['optional', 'optional', 'repeated', 'required'] as const);
  } else if (chance(random, 0.4)) {
    field.label = syntax === 'proto3' ? pick(random, ['optional', 'repeated'] as const) : 'repeated';
  }
  if (chance(random, faults.share)) field.label = pick(random, ['required', 'optional', undefined] as const);
  if (chance(random, 0.1)) field.options.push('deprecated = true');
  if (chance(random, 0.1))
    field.options.push(`json_name = "${pick(random, ['custom', 'field1', field.name])}${field.number}"`);
  if (field.label === 'repeated' && syntax !== 'editions' && field.type.endsWith('int32')) {
    if (chance(random, 0.3)) field.options.push(`packed = ${chance(random, 0.5)}`);
  }
  if (syntax === 'proto2' && field.label === 'optional' && chance(random, 0.3)) {
    const value = defaults[field.type];
    if (value !== undefined) field.options.push(`default = ${value}`);
  }
  if (syntax === 'editions' && chance(random, 0.2)) {
    field.options.push(`features.${pick(random, editionFeatures)}`);
  }
  if (chance(random, faults.share))
    field.options.push(pick(random, ['packed = true', 'unknown = 1', 'default = 5', 'jstype = JS_STRING']));
};

const defaults: Readonly<Record<string, string>> = {
  int32: '-7',
  uint64: '0x1F',
  double: '1.5e10',
  float: '-inf',
  bool: 'true',
  string: '"a\\n\\"b\\" é"',
  bytes: '"\\377\\0a"',
};

const editionFeatures = [
  'field_presence = IMPLICIT',
  'field_presence = LEGACY_REQUIRED',
  'message_encoding = DELIMITED',
  'repeated_field_encoding = EXPANDED',
  'utf8_validation = NONE',
];

const fileFeatures = [
  'field_presence = IMPLICIT',
  'message_encoding = DELIMITED',
  'repeated_field_encoding = EXPANDED',
  'utf8_validation = NONE',
  'enum_type = CLOSED',
  'json_format = LEGACY_BEST_EFFORT',
];

/** The text of a schema. */
export const schemaText = (schema: ModelSchema): string => {
  const lines = [schema.syntax === 'editions' ? 'edition = "2023";' : `syntax = "${schema.syntax}";`];
  lines.push(`package ${schema.packageName};`);
  const body = [
    ...schema.messages.flatMap((message) => messageLines(message)),
    ...schema.enums.flatMap(enumLines),
  ];
  if (body.some((line) => line.includes('google.protobuf.'))) {
    for (const path of ['timestamp', 'struct', 'wrappers'])
      lines.push(`import "google/protobuf/${path}.proto";`);
  }
  lines.push(...schema.options.map((option) => `option ${option};`));
  return `${[...lines, ...body].join('\n')}\n`;
};

const messageLines = (message: ModelMessage): string[] => {
  const plain = message.fields.filter(({ oneof }) => oneof === undefined);
  const oneofs = new Map<string, ModelField[]>();
  for (const field of message.fields) {
    if (field.oneof !== undefined) oneofs.set(field.oneof, [...(oneofs.get(field.oneof) ?? []), field]);
  }
  return [
    `message ${message.name} {`,
    ...message.reserved.map((reserved) => `  reserved ${reserved};`),
    ...plain.map(fieldLine),
    ...[...oneofs].flatMap(([name, fields]) => [`  oneof ${name} {`, ...fields.map(fieldLine), '  }']),
    ...message.messages.flatMap(messageLines).map((line) => `  ${line}`),
    ...message.enums.flatMap(enumLines).map((line) => `  ${line}`),
    '}',
  ];
};

const fieldLine = ({ name, number, label, type, mapKey, options }: ModelField): string => {
  const typeText = mapKey === undefined ? type : `map<${mapKey}, ${type}>`;
  const optionText = options.length === 0 ? '' : ` [${options.join(', ')}]`;
  return `  ${label === undefined ? '' : `${label} `}${typeText} ${name} = ${number}${optionText};`;
};

const enumLines = ({ name, values, alias }: ModelEnum): string[] => [
  `enum ${name} {`,
  ...(alias ? ['  option allow_alias = true;'] : []),
  ...values.map((value) => `  ${value.name} = ${value.number};`),
  '}',
];

const allMessages = (schema: ModelSchema): ModelMessage[] => {
  const found: ModelMessage[] = [];
  const add = (messages: readonly ModelMessage[]) => {
    for (const message of messages) {
      found.push(message);
      add(message.messages);
    }
  };
  add(schema.messages);
  return found;
};

/** What a developer may do to a schema. Each returns whether there was anything to change. */
const edits: Readonly<Record<string, (schema: ModelSchema, random: Random) => boolean>> = {
  removeField(schema, random) {
    const message = pick(random, allMessages(schema));
    if (message.fields.length === 0) return false;
    message.fields.splice(count(random, message.fields.length - 1), 1);
    return true;
  },
  addField(schema, random) {
    const message = pick(random, allMessages(schema));
    const number = 20 + count(random, 5);
    if (message.fields.some((field) => field.number === number)) return false;
    const label = schema.syntax === 'proto2' ? pick(random, ['optional', 'required'] as const) : undefined;
    message.fields.push({
      name: `added_${number}`,
      number,
      label,
      type: pick(random, scalarNames),
      mapKey: undefined,
      oneof: undefined,
      options: [],
    });
    return true;
  },
  changeScalar(schema, random) {
    const fields = allMessages(schema).flatMap((message) => message.fields);
    const scalars = fields.filter(({ type }) => (scalarNames as readonly string[]).includes(type));
    if (scalars.length === 0) return false;
    const field = pick(random, scalars);
    field.type = pick(random, scalarNames);
    field.options = [];
    return true;
  },
  renameField(schema, random) {
    const fields = allMessages(schema).flatMap((message) => message.fields);
    if (fields.length === 0) return false;
    pick(random, fields).name = `renamed_${count(random, 1000)}`;
    return true;
  },
  changeLabel(schema, random) {
    const fields = allMessages(schema)
      .flatMap((message) => message.fields)
      .filter(({ oneof, mapKey }) => oneof === undefined && mapKey === undefined);
    if (fields.length === 0) return false;
    const field = pick(random, fields);
    const labels = {
      proto2: ['optional', 'repeated', 'required'],
      proto3: ['optional', 'repeated', undefined],
      editions: ['repeated', undefined],
    } as const;
    field.label = pick(random, labels[schema.syntax]);
    field.options = [];
    return true;
  },
  changeOneof(schema, random) {
    const message = pick(random, allMessages(schema));
    const fields = message.fields.filter(({ mapKey, label }) => mapKey === undefined && label !== 'repeated');
    if (fields.length === 0) return false;
    const field = pick(random, fields);
    if (field.oneof === undefined) {
      field.oneof = 'choice';
      field.label = undefined;
    } else {
      field.oneof = undefined;
      if (schema.syntax === 'proto2') field.label = 'optional';
    }
    field.options = [];
    return true;
  },
  removeMessage(schema, random) {
    if (schema.messages.length < 2) return false;
    schema.messages.splice(count(random, schema.messages.length - 1), 1);
    return true;
  },
  moveMessage(schema) {
    schema.messages.reverse();
    return true;
  },
  changeEnum(schema, random) {
    const enums = [...schema.enums, ...allMessages(schema).flatMap((message) => message.enums)];
    if (enums.length === 0) return false;
    const { name, values } = pick(random, enums);
    if (values.length > 1 && chance(random, 0.5)) values.pop();
    else
      values.push({
        name: `${name.toUpperCase()}_NEW${count(random, 100)}`,
        number: 200 + count(random, 100),
      });
    return true;
  },
  changeType(schema, random) {
    const fields = allMessages(schema).flatMap((message) => message.fields);
    const types = typesOf(schema);
    if (fields.length === 0 || types.length === 0) return false;
    const field = pick(random, fields);
    field.type = `.${pick(random, types).name}`;
    field.options = [];
    return true;
  },
};

/** A copy of a schema with one change or several. */
export const changedSchema = (schema: ModelSchema, random: Random, changesMax = 3): ModelSchema => {
  const copy = structuredClone(schema);
  for (let left = 1 + count(random, changesMax - 1); left > 0; left -= 1)
    pick(random, Object.values(edits))(copy, random);
  return copy;
};
