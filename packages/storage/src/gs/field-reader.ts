import { StoreError } from '../store/store-error.ts';

/** A file of credentials. Its fields are not checked yet. */
export type CredentialFields = Readonly<Record<string, unknown>>;

/** Reads fields of a file of credentials. Errors name the file and the field, never a value. */
export class FieldReader {
  readonly fields: CredentialFields;
  readonly path: string;

  constructor(fields: CredentialFields, path: string) {
    this.fields = fields;
    this.path = path;
  }

  fail(problem: string): never {
    throw new StoreError('denied', this.path, problem);
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.fail(`the file of credentials has no ${name}`);
  }

  optionalText(name: string): string | undefined {
    const value = this.fields[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.fields[name] ?? [];
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
    return isList ? (value as string[]) : this.fail(`${name} is not a list of strings`);
  }

  object(name: string): FieldReader {
    const value = this.fields[name];
    if (typeof value !== 'object' || value === null) this.fail(`the file of credentials has no ${name}`);
    return new FieldReader(value as CredentialFields, this.path);
  }

  url(name: string, otherwise?: string): string {
    return this.optionalUrl(name) ?? otherwise ?? this.fail(`the file of credentials has no ${name}`);
  }

  /** Secrets are sent there, so that it is https, or a server of this machine. */
  optionalUrl(name: string): string | undefined {
    const text = this.optionalText(name);
    if (text === undefined) return undefined;
    const url = URL.parse(text);
    const isLocal = url?.protocol === 'http:' && /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname);
    if (url?.protocol !== 'https:' && !isLocal) this.fail(`${name} is not an https:// URL`);
    return text;
  }
}
