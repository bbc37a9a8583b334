import type { Fields, ReadStruct, WriteStruct } from './field.ts';
import { noVersion, parseVersions, type VersionRange, type VersionText } from './versions.ts';

/** One message: a request, a response or a header. Codecs for each of its versions are derived from it. */
export interface Message<F extends Fields = Fields> {
  /** As errors name it: `Produce request`. */
  readonly name: string;
  readonly versions: VersionRange;
  /** Versions with compact lengths and tagged fields. */
  readonly flexible: VersionRange;
  readonly fields: F;
}

/** One API of the protocol: the pair of messages under one key. */
export interface Api<Request extends Fields = Fields, Response extends Fields = Fields> {
  readonly key: number;
  readonly name: string;
  readonly versions: VersionRange;
  readonly flexible: VersionRange;
  /** The highest version that may be offered to clients: the newest one of an API may still be unstable. */
  readonly highestStableVersion: number;
  /** The lowest version in ApiVersions responses, which for Produce is lower than what is served. */
  readonly lowestAdvertisedVersion: number;
  readonly request: Message<Request>;
  readonly response: Message<Response>;
}

interface ApiDefinition<Request extends Fields, Response extends Fields> {
  readonly key: number;
  readonly name: string;
  readonly versions: VersionText;
  readonly flexible: VersionText | 'never';
  readonly highestStableVersion?: number;
  readonly lowestAdvertisedVersion?: number;
  readonly request: Request;
  readonly response: Response;
}

export function defineApi<const Request extends Fields, const Response extends Fields>(
  definition: ApiDefinition<Request, Response>,
): Api<Request, Response> {
  const { key, name, request, response } = definition;
  const versions = parseVersions(definition.versions);
  const flexible = definition.flexible === 'never' ? noVersion : parseVersions(definition.flexible);
  return {
    key,
    name,
    versions,
    flexible,
    highestStableVersion: definition.highestStableVersion ?? versions.highest,
    lowestAdvertisedVersion: definition.lowestAdvertisedVersion ?? versions.lowest,
    request: { name: `${name} request`, versions, flexible, fields: request },
    response: { name: `${name} response`, versions, flexible, fields: response },
  };
}

interface MessageDefinition<F extends Fields> {
  readonly name: string;
  readonly versions: VersionText;
  readonly flexible: VersionText | 'never';
  readonly fields: F;
}

/** A message that belongs to no API: headers, and the messages that clients embed in the bytes of group membership. */
export function defineMessage<const F extends Fields>(definition: MessageDefinition<F>): Message<F> {
  return {
    name: definition.name,
    versions: parseVersions(definition.versions),
    flexible: definition.flexible === 'never' ? noVersion : parseVersions(definition.flexible),
    fields: definition.fields,
  };
}

/** The result of decoding a message. */
export type Decoded<M> = M extends Message<infer F> ? ReadStruct<F> : never;
/** The input of encoding a message. */
export type Encodable<M> = M extends Message<infer F> ? WriteStruct<F> : never;

/** `RequestOf<typeof produce>`: a decoded request, every field present whatever its version. */
export type RequestOf<A> = A extends Api<infer Request, Fields> ? ReadStruct<Request> : never;
/** `ResponseOf<typeof produce>`: what a handler returns; fields with a default are optional. */
export type ResponseOf<A> = A extends Api<Fields, infer Response> ? WriteStruct<Response> : never;
