import type { ConfigType } from './config-type.ts';

/** Where a group begins to read: at an end of the log, or with the records that are no older than so long. */
export type StartOffset = 'latest' | 'earliest' | { readonly ageMsMax: number };

const byDuration = 'by_duration:';

/** ISO 8601 as Java reads it, without signs: days, hours, minutes and seconds with a fraction. */
const duration = /^P(?=\d|T\d)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d{0,9}))?S)?)?$/i;

export const startOffset: ConfigType<StartOffset> = {
  kafkaType: 'STRING',
  rule: 'latest, earliest, or by_duration: and an ISO 8601 duration such as PT1H30M',
  parse(text) {
    const word = text.trim().toLowerCase();
    if (word === 'latest' || word === 'earliest') return word;
    if (!word.startsWith(byDuration)) return undefined;
    const parts = duration.exec(word.slice(byDuration.length));
    if (parts === null) return undefined;
    const [days, hours, minutes, seconds] = parts.slice(1, 5).map((digits) => Number(digits ?? 0));
    const fraction = Number(`0.${parts[5] ?? 0}`);
    const ageMsMax = Math.floor((((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds! + fraction) * 1000);
    return Number.isSafeInteger(ageMsMax) ? { ageMsMax } : undefined;
  },
};
