import { DerError, type DerValue, derOid, derParts, derTags } from './der.ts';

/** The attributes that RFC 2253 calls by a name. All others are called by their object identifier. */
const keywords: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
};

const stringTags: ReadonlySet<number> = new Set([
  derTags.utf8String,
  derTags.printableString,
  derTags.teletexString,
  derTags.ia5String,
  derTags.generalString,
  derTags.universalString,
  derTags.bmpString,
]);

/**
 * A distinguished name as RFC 2253 writes it, the most particular part first. It is to the letter what Java's
 * `X500Principal.getName()` gives, because rules for Kafka brokers were written for that.
 */
export function printDistinguishedName(name: DerValue): string {
  return derParts(name, derTags.sequence).reverse().map(printRelativeName).join(',');
}

function printRelativeName(set: DerValue): string {
  return derParts(set, derTags.set).map(printAttribute).join('+');
}

function printAttribute(attribute: DerValue): string {
  const [type, value] = derParts(attribute, derTags.sequence);
  if (type?.tag !== derTags.oid || value === undefined)
    throw new DerError('an attribute without type or value');
  const oid = derOid(type);
  const keyword = keywords[oid];
  if (keyword === undefined || !stringTags.has(value.tag)) {
    return `${keyword ?? oid}=#${value.encoded.toString('hex')}`;
  }
  return `${keyword}=${escapeValue(textOf(value))}`;
}

/** Two names that differ in bytes that are no text would become the same one, so that such a name is none. */
function textOf({ content }: DerValue): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new DerError('a name that is not written in UTF-8', { cause });
  }
}

function escapeValue(text: string): string {
  const escaped = text.replaceAll(/[,=+<>#;"\\]/g, '\\$&').replaceAll('\0', '\\00');
  return escaped.replaceAll(/^[ \r]+|[ \r]+$/g, (blanks) => blanks.replaceAll(/./gs, '\\$&'));
}
