import { DerError, derOid, derParts, derTags, readDerValues } from './der.ts';
import { printDistinguishedName } from './distinguished-name.ts';

/** Names in a certificate. */
export interface CertificateNames {
  /** Subject in the format of RFC 2253; empty if there is none. */
  readonly subject: string;
  /** Subject alternative names: URIs and DNS names. */
  readonly uris: readonly string[];
  readonly hosts: readonly string[];
}

const versionTag = 0xa0;
const extensionsTag = 0xa3;
const hostTag = 0x82;
const uriTag = 0x86;
const alternativeNames = '2.5.29.17';
/** The subject follows serial number, algorithm, issuer and validity. */
const subjectIndex = 4;

/**
 * Parses the names of a certificate whose signature is already verified. The runtime prints names in an ambiguous
 * format.
 */
export function certificateNames(der: Buffer): CertificateNames {
  const [certificate] = readDerValues(der);
  const [body] = derParts(certificate, derTags.sequence);
  const fields = derParts(body, derTags.sequence);
  if (fields[0]?.tag === versionTag) fields.shift();
  const subject = fields[subjectIndex];
  if (subject === undefined) throw new DerError('certificate without a subject');
  const extensions = fields.find(({ tag }) => tag === extensionsTag);
  const uris: string[] = [];
  const hosts: string[] = [];
  for (const extension of extensions === undefined
    ? []
    : derParts(readDerValues(extensions.content)[0], derTags.sequence)) {
    const [oid, ...rest] = derParts(extension, derTags.sequence);
    if (oid === undefined || derOid(oid) !== alternativeNames) continue;
    const wrapped = rest.at(-1);
    if (wrapped?.tag !== derTags.octetString) throw new DerError('extension without a value');
    for (const name of derParts(readDerValues(wrapped.content)[0], derTags.sequence)) {
      if (name.tag === uriTag) uris.push(name.content.toString('latin1'));
      if (name.tag === hostTag) hosts.push(name.content.toString('latin1').toLowerCase());
    }
  }
  return { subject: printDistinguishedName(subject), uris, hosts };
}
