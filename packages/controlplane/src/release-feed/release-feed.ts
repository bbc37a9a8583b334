import { escapeHtml } from '@weir/core';
import { type AvoidedReleases, avoidedReleases, reasonsToAvoid } from '@weir/diagnostics';
import { routePath } from '../http/route-table.ts';
import { breakingChanges } from './breaking-changes.ts';
import { readChangelog } from './changelog.ts';
import { notesHtml } from './notes-html.ts';

interface ReleaseFeedOptions {
  /** CHANGELOG.md. */
  readonly changelog: string;
  /** The base URL of the feed, without a trailing slash. */
  readonly baseUrl: string;
}

/**
 * Returns the releases as RSS 2.0, the newest first: those of the changelog, and earlier ones that should be avoided or
 * require changes.
 */
export function releaseFeed({ changelog, baseUrl }: ReleaseFeedOptions): string {
  const entries = new Map(readChangelog(changelog).map((entry) => [entry.release, entry]));
  const releases = new Set([
    ...entries.keys(),
    ...breakingChanges.map(({ release }) => release),
    ...avoidedReleases.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)),
  ]);
  const items = [...releases]
    .sort((a, b) => b - a)
    .map((release) => {
      const entry = entries.get(release);
      return itemXml({ release, publishedMs: entry?.publishedMs, notes: entry?.notes ?? '', baseUrl });
    });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0">',
    '<channel>',
    '<title>Weir agent releases</title>',
    `<link>${escapeHtml(baseUrl)}</link>`,
    '<description>Releases of the agent, releases to avoid, and breaking changes.</description>',
    '<language>en</language>',
    ...items,
    '</channel>',
    '</rss>',
    '',
  ].join('\n');
}

interface Item {
  readonly release: number;
  readonly publishedMs: number | undefined;
  readonly notes: string;
  readonly baseUrl: string;
}

function itemXml({ release, publishedMs, notes, baseUrl }: Item): string {
  const name = `v${release}`;
  const reasons = reasonsToAvoid(name);
  const breaking = breakingChanges.filter((change) => change.release === release);
  const html = [
    ...reasons.map((reason) => `<p><b>Avoid this release.</b> ${escapeHtml(whyAvoid(reason))}</p>`),
    ...breaking.map(
      ({ what, action }) => `<p><b>Breaking change.</b> ${escapeHtml(`${what} ${action}`)}</p>`,
    ),
    notesHtml(notes),
  ].filter((part) => part !== '');
  return [
    '<item>',
    `<title>${name}${reasons.length > 0 ? ' (avoid this release)' : ''}</title>`,
    `<link>${escapeHtml(`${baseUrl}${routePath('releaseFeed')}#${name}`)}</link>`,
    `<guid isPermaLink="false">${name}</guid>`,
    ...(publishedMs === undefined ? [] : [`<pubDate>${new Date(publishedMs).toUTCString()}</pubDate>`]),
    ...(reasons.length > 0 ? ['<category>avoid</category>'] : []),
    ...(breaking.length > 0 ? ['<category>breaking</category>'] : []),
    `<description>${escapeHtml(html.join('\n'))}</description>`,
    '</item>',
  ].join('\n');
}

function whyAvoid({ reason, fixedIn }: AvoidedReleases): string {
  const fault = `Known fault: ${reason ?? 'not described'}.`;
  return fixedIn === undefined ? fault : `${fault} Use v${fixedIn} or later.`;
}
