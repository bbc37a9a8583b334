import type { AlertMessage } from '../../accounts/alerts/alert-types.ts';
import { headline, linesOf } from './texts.ts';

interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
  /** Unique for the message. */
  readonly id: string;
}

/** An e-mail with plain text as it is sent: headers of ASCII, and a body in Base64, so no line begins with a dot. */
export function mailText(message: AlertMessage, { from, to, id }: Envelope): string {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const headers = [
    `From: Weir <${from}>`,
    `To: ${to.map((address) => `<${address}>`).join(',\r\n ')}`,
    `Subject: ${encodedWords(oneLine(headline(message)))}`,
    `Date: ${new Date(message.atMs).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@${domain}>`,
    // Mail programs show all messages about one incident together.
    `References: <${message.incidentKey}@${domain}>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ];
  const body = Buffer.from([...linesOf(message).map(oneLine), '', message.link, ''].join('\r\n'));
  return `${headers.join('\r\n')}\r\n\r\n${body.toString('base64').replaceAll(/.{1,76}/g, '$&\r\n')}`;
}

/** A line break would begin another header. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').toWellFormed();
}

/** Bytes of one encoded word: with the name of the header, a line has at most 76 characters. */
const wordBytesMax = 36;

/** The text of a header (RFC 2047). */
function encodedWords(text: string): string {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > wordBytesMax) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((one) => `=?utf-8?B?${Buffer.from(one).toString('base64')}?=`).join('\r\n ');
}
