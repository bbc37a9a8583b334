import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestCa, type TestCertificate } from '../../../packages/security/testing/test-ca.ts';
import type { Lifetime } from '../brokers/weir-process.ts';

/** Credential and certificate files of servers and clients. All are removed with the test. */
export class SecretFiles {
  readonly folder: string;
  readonly #ca: TestCa;

  private constructor(folder: string, ca: TestCa) {
    this.folder = folder;
    this.#ca = ca;
  }

  static async make(lifetime: Lifetime): Promise<SecretFiles> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-secrets-'));
    lifetime.after(async () => rmSync(folder, { recursive: true, force: true }));
    const files = new SecretFiles(folder, await TestCa.create());
    files.write('ca.crt', files.#ca.certificate);
    return files;
  }

  /** Writes a file that only its owner can read, as secrets have to be. */
  write(name: string, content: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  get caFile(): string {
    return join(this.folder, 'ca.crt');
  }

  /** Returns the flags of a broker with TLS. */
  async serverFlags(): Promise<readonly string[]> {
    const { certificateFile, keyFile } = this.keep('server', await this.#ca.issueServer({ key: 'RSA' }));
    return ['-kafkaTLS', '-tlsServerCertFile', certificateFile, '-tlsServerPrivateKeyFile', keyFile];
  }

  keep(name: string, { certificate, privateKey }: TestCertificate): ClientFiles {
    return {
      certificateFile: this.write(`${name}.crt`, certificate),
      keyFile: this.write(`${name}.key`, privateKey),
      // Java needs both in one file.
      bothFile: this.write(`${name}.pem`, `${privateKey}${certificate}`),
      certificate,
      privateKey,
    };
  }

  /** Creates a client certificate, by this CA unless another is given. */
  async client(
    name: string,
    options: Parameters<TestCa['issue']>[0] = {},
    ca = this.#ca,
  ): Promise<ClientFiles> {
    return this.keep(name, await ca.issue({ subject: `CN=${name}`, ...options }));
  }

  credentials(list: readonly Credential[]): readonly string[] {
    return ['-saslCredentialsFile', this.write('credentials.json', JSON.stringify(list))];
  }

  /** Writes the settings of a Java client to a file, which its commands accept in place of servers. */
  java(name: string, settings: Readonly<Record<string, string>>): string {
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value.replaceAll('\\', '\\\\')}`);
    return `@${this.write(`${name}.properties`, `${lines.join('\n')}\n`)}`;
  }
}

export interface ClientFiles extends TestCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly bothFile: string;
}

export interface Credential {
  readonly name: string;
  readonly username: string;
  readonly password: string;
  readonly superuser?: boolean;
}
