import { type Clock, nextTurn } from '@weir/core';
import type { DocsPage } from './documentation.ts';

interface DocsHit {
  readonly path: string;
  readonly title: string;
  /** The heading of the section with the words. */
  readonly section: string;
  /** The first line of the section, from 1. */
  readonly line: number;
  readonly excerpt: string;
}

interface Section extends Counted {
  readonly page: DocsPage;
  readonly heading: string;
  readonly line: number;
  readonly text: string;
}

/** What was counted in a section, or in a whole page. */
interface Counted {
  /** How often each word occurs in it. */
  readonly words: ReadonlyMap<string, number>;
  readonly wordCount: number;
}

const excerptCharsMax = 300;

/** A word in a heading counts as this many in the text. */
const headingWeight = 5;

/** BM25: how soon further occurrences of a word stop counting, and how much a long section loses by its length. */
const saturation = 1.2;
const lengthPenalty = 0.5;

/** Pages about how the service is built, which count for less: most questions are about how to use it. */
const backgroundPages = /^(?:adr\/|contribute\/|architecture|changelog|contributing)/;
const backgroundWeight = 0.6;

/** Sections of one page among the hits, so that a long reference page leaves room for others. */
const hitsOfPageMax = 3;

/** What was counted in all pages. */
interface DocsIndex {
  readonly sections: readonly Section[];
  readonly countsOfPages: ReadonlyMap<DocsPage, Counted>;
}

/** Finds at most `limit` sections by the words of a query, the best first. */
type DocsSearch = (query: string, limit: number, clock: Pick<Clock, 'after'>) => Promise<DocsHit[]>;

/**
 * Searches sections of pages by their words. Rare words count for more, and a section with all of them comes first. A
 * page that is about the words as a whole helps its sections.
 *
 * Words are counted at the first search, one page in a turn: most processes are never asked, and none may stand still.
 */
export function docsSearch(pages: readonly DocsPage[]): DocsSearch {
  let searching: Promise<(query: string, limit: number) => DocsHit[]> | undefined;
  return async (query, limit, clock) => {
    searching ??= indexOf(pages, clock).then(searchOf);
    return (await searching)(query, limit);
  };
}

async function indexOf(pages: readonly DocsPage[], clock: Pick<Clock, 'after'>): Promise<DocsIndex> {
  const sections: Section[] = [];
  const countsOfPages = new Map<DocsPage, Counted>();
  for (const page of pages) {
    await nextTurn(clock);
    const words = new Map<string, number>();
    for (const { heading, line, text } of partsOf(page)) {
      const ofText = countWords(text);
      addWords(words, ofText);
      sections.push({ page, heading, line, text, ...counted(ofText, heading) });
    }
    countsOfPages.set(page, counted(words, page.title));
  }
  return { sections, countsOfPages };
}

function searchOf({ sections, countsOfPages }: DocsIndex): (query: string, limit: number) => DocsHit[] {
  const scoreOfSection = scorerOf(sections);
  const scoreOfPage = scorerOf([...countsOfPages.values()]);

  return (query, limit) => {
    const wanted = [...new Set(wordsIn(query))];
    const scoreOf = new Map([...countsOfPages].map(([page, words]) => [page, scoreOfPage(words, wanted)]));
    const scored = sections.flatMap((section) => {
      const score = scoreOfSection(section, wanted);
      if (score === 0) return [];
      const weight = backgroundPages.test(section.page.path) ? backgroundWeight : 1;
      return [{ section, score: weight * (score + scoreOf.get(section.page)!) }];
    });
    scored.sort((a, b) => b.score - a.score || (a.section.page.path < b.section.page.path ? -1 : 1));
    const hitsOf = new Map<DocsPage, number>();
    const shown = scored.filter(({ section: { page } }) => {
      const rank = (hitsOf.get(page) ?? 0) + 1;
      hitsOf.set(page, rank);
      return rank <= hitsOfPageMax;
    });
    return shown.slice(0, limit).map(({ section }) => hitOf(section, wanted));
  };
}

/** Returns what scores one of these by the words of a query: 0 if it has none of them. */
function scorerOf(all: readonly Counted[]): (counted: Counted, wanted: readonly string[]) => number {
  const holders = new Map<string, number>();
  for (const { words } of all)
    for (const word of words.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  const rarityOf = (word: string) => Math.log(1 + all.length / (holders.get(word) ?? all.length + 1));
  const usualCount = all.reduce((sum, { wordCount }) => sum + wordCount, 0) / all.length;
  const weightIn = ({ words, wordCount }: Counted, word: string) => {
    const count = words.get(word)!;
    const length = 1 - lengthPenalty + (lengthPenalty * wordCount) / usualCount;
    return (rarityOf(word) * count * (saturation + 1)) / (count + saturation * length);
  };
  return (counted, wanted) => {
    const found = wanted.filter((word) => counted.words.has(word));
    const weight = found.reduce((sum, word) => sum + weightIn(counted, word), 0);
    return weight * (found.length / wanted.length) ** 2;
  };
}

function hitOf({ page, heading, line, text }: Section, wanted: readonly string[]): DocsHit {
  const lower = text.toLowerCase();
  const first = Math.min(...wanted.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length);
  const from = Math.max(0, Math.min(first, text.length) - excerptCharsMax / 3);
  const excerpt = text
    .slice(from, from + excerptCharsMax)
    .replace(/\s+/g, ' ')
    .trim();
  return { path: page.path, title: page.title, section: heading, line, excerpt };
}

/** The parts of a page below its headings. */
function partsOf(page: DocsPage): Pick<Section, 'heading' | 'line' | 'text'>[] {
  const parts: Pick<Section, 'heading' | 'line' | 'text'>[] = [];
  let heading = page.title;
  let begin = 0;
  let isCode = false;
  const lines = page.text.split('\n');
  const close = (end: number) => {
    const text = lines.slice(begin, end).join('\n').trim();
    if (text !== '') parts.push({ heading, line: begin + 1, text });
    begin = end;
  };
  lines.forEach((line, index) => {
    if (line.startsWith('```')) isCode = !isCode;
    const found = isCode ? null : /^#{1,6}\s+(.+)$/.exec(line);
    if (found === null) return;
    close(index);
    heading = found[1]!.trim();
  });
  close(lines.length);
  return parts;
}

/** The words of a text with those of its heading, which weigh more and do not lengthen it. */
function counted(ofText: ReadonlyMap<string, number>, heading: string): Counted {
  const words = new Map(ofText);
  addWords(words, countWords(heading), headingWeight);
  const wordCount = ofText.values().reduce((sum, count) => sum + count, 0);
  return { words, wordCount };
}

function countWords(text: string): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  for (const word of wordsIn(text)) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

function addWords(sum: Map<string, number>, words: ReadonlyMap<string, number>, weight = 1): void {
  for (const [word, count] of words) sum.set(word, (sum.get(word) ?? 0) + weight * count);
}

/** Splits a text into search words: `groups` finds `group`, and `retention.ms` is found whole and by both parts. */
function wordsIn(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}._-]*/gu) ?? [];
  return found.flatMap((word) => {
    const whole = word.replace(/[._-]+$/, '');
    const parts = whole.split(/[._-]/).filter((part) => part.length > 1);
    return [...new Set([whole, ...parts].map(singular))];
  });
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
