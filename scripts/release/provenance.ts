import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runtimeVersion } from './platforms.ts';

interface Artefact {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Source {
  readonly commit: string;
  readonly lockFile: Uint8Array;
  /** Whether files differ from those of the commit. */
  readonly hasChanges: boolean;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** As `sha256sum --check` reads them. */
export function checksums(artefacts: readonly Artefact[]): string {
  return artefacts.map(({ name, bytes }) => `${sha256(bytes)}  ${name}\n`).join('');
}

const payloadType = 'application/vnd.in-toto+json';

/** Which source the artefacts were made of and how, as an in-toto statement with the provenance of SLSA. */
export function provenance(artefacts: readonly Artefact[], source: Source): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: artefacts.map(({ name, bytes }) => ({ name, digest: { sha256: sha256(bytes) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'weir:npm-run-release/v1',
        externalParameters: { command: 'npm run release', hasUncommittedChanges: source.hasChanges },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: source.commit } },
          { name: 'package-lock.json', digest: { sha256: sha256(source.lockFile) } },
          { name: 'node', annotations: { version: runtimeVersion } },
        ],
      },
      runDetails: { builder: { id: 'weir:npm-run-release' } },
    },
  };
  return `${JSON.stringify(statement)}\n`;
}

/** The statement in an envelope with a signature, which `cosign` and in-toto verify with the public key. */
export function signedEnvelope(statement: string, keyPath: string): string {
  const key = createPrivateKey(readFileSync(keyPath));
  const payload = Buffer.from(statement);
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);
  const keyid = sha256(createPublicKey(key).export({ type: 'spki', format: 'der' }));
  const isEdwards = key.asymmetricKeyType === 'ed25519';
  const sig = sign(isEdwards ? null : 'sha256', signed, key).toString('base64');
  const envelope = { payloadType, payload: payload.toString('base64'), signatures: [{ keyid, sig }] };
  return `${JSON.stringify(envelope)}\n`;
}
