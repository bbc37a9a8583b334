import { registryLimits } from '../limits.ts';
import type { KekAnswer } from '../registry-answers.ts';
import { withoutUndefined } from '../state/metadata.ts';
import { BodyReader } from './body-reader.ts';
import { refusals } from './refusals.ts';

const algorithms = ['AES256_GCM', 'AES128_GCM', 'AES256_SIV'];
const textCharsMax = 16 * 1024;

const reader: BodyReader = new BodyReader('invalidKey');

interface DekBody {
  readonly subject: string | undefined;
  readonly version: number;
  readonly algorithm: string;
  readonly encryptedKeyMaterial: string | undefined;
  readonly isDeleted: boolean;
}

/** Services have one name, however a client spells it. */
const knownServices = [
  { prefix: 'aws', type: 'aws-kms' },
  { prefix: 'azure', type: 'azure-kms' },
  { prefix: 'gcp', type: 'gcp-kms' },
];

/** The body of `POST /keks`. */
export function readKekBody(body: unknown, nowMs: number): KekAnswer {
  const object = reader.object(body);
  const name = reader.text(object, 'name', registryLimits.registryNameCharsMax);
  const kmsType = reader.text(object, 'kmsType', textCharsMax);
  const kmsKeyId = reader.text(object, 'kmsKeyId', textCharsMax);
  if (name === undefined || !/^[\p{L}_][\p{L}\p{Nd}_-]*$/u.test(name)) invalid('name');
  if (kmsType === undefined || kmsType === '') invalid('kmsType');
  if (kmsKeyId === undefined || kmsKeyId === '') invalid('kmsKeyId');
  return withoutUndefined<KekAnswer>({
    name,
    kmsType:
      knownServices.find((service) => kmsType.toLowerCase().startsWith(service.prefix))?.type ?? kmsType,
    kmsKeyId,
    kmsProps: reader.textMap(object, 'kmsProps'),
    doc: reader.text(object, 'doc', textCharsMax),
    shared: reader.boolean(object, 'shared') ?? false,
    ts: nowMs,
    deleted: reader.boolean(object, 'deleted') === true ? true : undefined,
  });
}

/** The body of `PUT /keks/{name}`: what it leaves out stays as it is. */
export function readKekUpdate(body: unknown): Partial<KekAnswer> {
  const object = reader.object(body);
  const shared = reader.boolean(object, 'shared');
  return withoutUndefined({
    kmsProps: reader.textMap(object, 'kmsProps'),
    doc: reader.text(object, 'doc', textCharsMax),
    ...(shared === undefined ? {} : { shared }),
  });
}

/** The body of `POST /keks/{name}/deks`. */
export function readDekBody(body: unknown): DekBody {
  const object = reader.object(body);
  const version = reader.integer(object, 'version') ?? 1;
  if (version < 1) throw refusals.invalidVersion(String(version));
  return {
    subject: reader.text(object, 'subject', registryLimits.subjectCharsMax),
    version,
    algorithm: readAlgorithm(reader.text(object, 'algorithm')),
    encryptedKeyMaterial: reader.text(object, 'encryptedKeyMaterial', textCharsMax),
    isDeleted: reader.boolean(object, 'deleted') === true,
  };
}

export function readAlgorithm(name: string | undefined): string {
  const algorithm = name === undefined || name === '' ? algorithms[0] : name;
  return algorithms.find((known) => known === algorithm) ?? invalid('algorithm');
}

export function invalid(field: string): never {
  return reader.refuse(`Invalid or missing key info: ${field}`);
}
