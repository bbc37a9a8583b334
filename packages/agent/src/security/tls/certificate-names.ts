import { DerError, derOid, derParts, derTags, readDerValues } from './der.ts';
import { printDistinguishedName } from './distinguished-name.ts';

/** Whom a certificate is about. */
export interface CertificateNames {
  /** The subject as RFC 2253 writes it; empty when it has none. */
  readonly subject: string;
  /** The alternative names that are URIs, and those that are hosts. */
  readonly uris: readonly string[];
  readonly hosts: readonly string[];
}

const versionTag = 0xa0;
const extensionsTag = 0xa3;
const hostTag = 0x82;
const uriTag = 0x86;
const alternativeNames = '2.5.29.17';
/** The subject comes behind serial number, algorithm, issuer and validity. */
const subjectIndex = 4;

/** Reads a certificate whose signature somebody else has checked. The runtime prints names in ways that cannot be told apart again. */
export function certificateNames(der: Buffer): CertificateNames {
  const [certificate] = readDerValues(der);
  const [body] = derParts(certificate, derTags.sequence);
  const fields = derParts(body, derTags.sequence);
  if (fields[0]?.tag === versionTag) fields.shift();
  const subject = fields[subjectIndex];
  if (subject === undefined) throw new DerError('a certificate without a subject');
  const extensions = fields.find(({ tag }) => tag === extensionsTag);
  const uris: string[] = [];
  const hosts: string[] = [];
  for (const extension of extensions === undefined
    ? []
    : derParts(readDerValues(extensions.content)[0], derTags.sequence)) {
    const [oid, ...rest] = derParts(extension, derTags.sequence);
    if (oid === undefined || derOid(oid) !== alternativeNames) continue;
    const wrapped = rest.at(-1);
    if (wrapped?.tag !== derTags.octetString) throw new DerError('an extension without a value');
    for (const name of derParts(readDerValues(wrapped.content)[0], derTags.sequence)) {
      if (name.tag === uriTag) uris.push(name.content.toString('latin1'));
      if (name.tag === hostTag) hosts.push(name.content.toString('latin1').toLowerCase());
    }
  }
  return { subject: printDistinguishedName(subject), uris, hosts };
}
