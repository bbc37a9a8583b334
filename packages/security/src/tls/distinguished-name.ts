import { DerError, type DerValue, derOid, derParts, derTags } from './der.ts';

/** Attributes with a keyword in RFC 2253. All others are printed as their object identifier. */
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
 * Prints a distinguished name in the format of RFC 2253, most specific part first. The result equals that of Java's
 * `X500Principal.getName()`, because mapping rules for Kafka brokers are written for it.
 */
export function printDistinguishedName(name: DerValue): string {
  return derParts(name, derTags.sequence).reverse().map(printRelativeName).join(',');
}

function printRelativeName(set: DerValue): string {
  return derParts(set, derTags.set).map(printAttribute).join('+');
}

function printAttribute(attribute: DerValue): string {
  const [type, value] = derParts(attribute, derTags.sequence);
  if (type?.tag !== derTags.oid || value === undefined) throw new DerError('attribute without type or value');
  const oid = derOid(type);
  const keyword = keywords[oid];
  if (keyword === undefined || !stringTags.has(value.tag)) {
    return `${keyword ?? oid}=#${value.encoded.toString('hex')}`;
  }
  return `${keyword}=${escapeValue(textOf(value))}`;
}

/** Throws on invalid UTF-8: replacement characters would make different names equal. */
function textOf({ content }: DerValue): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new DerError('name is not UTF-8', { cause });
  }
}

function escapeValue(text: string): string {
  const escaped = text.replaceAll(/[,=+<>#;"\\]/g, '\\$&').replaceAll('\0', '\\00');
  return escaped.replaceAll(/^[ \r]+|[ \r]+$/g, (blanks) => blanks.replaceAll(/./gs, '\\$&'));
}
