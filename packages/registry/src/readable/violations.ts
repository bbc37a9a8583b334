/** An entry of the list that a registry returns about an incompatible schema. */
export interface SchemaViolation {
  /** Empty for an entry in a form that is not known. */
  readonly type: string;
  /** Empty where the entry names none. */
  readonly path: string;
  readonly message: string;
}

interface ViolationList {
  readonly violations: readonly SchemaViolation[];
  /** The version that the schema was compared with. */
  readonly oldVersion: number | undefined;
}

/** Entries that say what was compared rather than what is wrong. */
const aboutComparison = /^\{(?:oldSchemaVersion|oldSchema|validateFields|compatibility): /;

/**
 * Reads the messages of a check: each has a kind, a description that names a path, and for Avro what it is about.
 * Quotes differ between formats, and within those of JSON Schema.
 */
export function readViolations(messages: readonly string[]): ViolationList {
  const oldVersion = messages
    .map((message) => /^\{oldSchemaVersion: (\d{1,10})\}$/.exec(message)?.[1])
    .find((version) => version !== undefined);
  return {
    violations: messages.filter((message) => !aboutComparison.test(message)).map(violationIn),
    oldVersion: oldVersion === undefined ? undefined : Number(oldVersion),
  };
}

function violationIn(message: string): SchemaViolation {
  const match = /^\{errorType: ?['"]([A-Z_0-9]+)['"], description: ?['"](.*)['"]\}$/s.exec(message);
  if (match === null) return { type: '', path: '', message };
  const [, type, rest] = match;
  const [description, about] = rest!.split(/['"], additionalInfo: ?['"]/, 2);
  const path = /\bpath ['"]([^'"]*)['"]/.exec(description!)?.[1] ?? '';
  const isNew = about !== undefined && about !== '' && !description!.includes(about);
  return { type: type!, path, message: isNew ? `${description} (${about})` : description! };
}
