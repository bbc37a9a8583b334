import type { AlertMessage, AlertSeverity } from '../../accounts/alerts/alert-types.ts';
import { headline, linesOf } from './texts.ts';

const colors: Readonly<Record<AlertSeverity, string>> = {
  low: '#6e7781',
  medium: '#bf8700',
  high: '#bc4c00',
  critical: '#cf222e',
};
const resolvedColor = '#1a7f37';

/** The body of an incoming webhook of Slack, and of programs that take the same. */
export function slackBody(message: AlertMessage): object {
  const { kind, severity, link } = message;
  const title = escaped(headline(message));
  return {
    text: `*${title}*`,
    attachments: [
      {
        color: kind === 'resolved' ? resolvedColor : colors[severity],
        fallback: title,
        text: [...linesOf(message).map(escaped), `<${link}|Open in the console>`].join('\n'),
      },
    ],
  };
}

/**
 * Names of users must not become links or call people: Slack reads `<!channel>`, others read `@channel`, which a
 * character without width takes apart.
 */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u200b');
}
