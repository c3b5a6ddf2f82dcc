// Drives a page of norn in Chromium: page_test.mjs PAGE OTHERS CHROMIUM [SCREENSHOTS]
// PAGE is of bank.cpp, checked by norn; OTHERS of others.jsonl, which has what bank.cpp has not. Ends with 1 and says what is wrong if something is not as it should be.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// From where the test is started: the packages are not beside it.
const { chromium } = createRequire(join(process.cwd(), 'package.json'))('playwright-core');
const [file, others, executablePath, screenshots] = process.argv.slice(2);
const address = pathToFileURL(file).href;

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const complaints = [];
const outside = [];

async function open(options = {}, at = address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) outside.push(request.url());
  });
  await page.goto(at);
  return page;
}

const shoot = async (page, name) => {
  if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`) });
};
const number = async (page) => Number(await page.locator('[data-test=step]').textContent());

const tests = {
  async 'the overview groups by variable'() {
    const page = await open();
    const variables = await page.locator('.variable').allTextContents();
    assert.ok(variables.includes('savings.balance'), `variables: ${variables}`);
    assert.equal(new Set(variables).size, variables.length);
    assert.ok((await page.locator('.cause').first().textContent()).includes('without a lock'));
    assert.ok((await page.locator('h1').textContent()).match(/\d+ races?/));
    const head = await page.locator('header').textContent();
    for (const fact of ['./bank', 'started', 'build', 'engine', 'accesses by']) assert.ok(head.includes(fact), fact);
    assert.ok(!(await page.locator('.row code').first().textContent()).startsWith('/'), 'paths are relative');
    await shoot(page, 'page-overview');
  },

  async 'filters'() {
    const page = await open();
    const all = await page.locator('.row').count();
    const shown = page.locator('[data-test=shown]');
    await page.getByRole('searchbox').fill('savings.deposits');
    const some = await page.locator('.row').count();
    assert.ok(some > 0 && some < all, `${some} of ${all}`);
    assert.ok((await shown.textContent()).startsWith(`${some} of ${all}`));
    await page.getByRole('searchbox').fill('');
    for (const [name, value, wanted] of [
      ['standing', 'flag', (row) => row.includes('flag')],
      ['thread', /porter/, (row) => row.includes('porter')],
      ['file', 'bank.cpp', (row) => row.includes('bank.cpp')],
      ['class', 'output-differs', (row) => row.includes('output-differs')],
      ['class', 'k-witness-harmless', (row) => row.includes('k-witness-harmless')],
    ]) {
      const select = page.getByLabel(name, { exact: true });
      const options = await select.locator('option').allTextContents();
      const option = options.find((text) => (value instanceof RegExp ? value.test(text) : text === value));
      assert.ok(option, `${name}: ${options}`);
      await select.selectOption(option);
      const rows = await page.locator('.row').allTextContents();
      assert.ok(rows.length > 0 && rows.every(wanted), `${name}=${option}: ${rows}`);
      await select.selectOption('');
    }
    assert.equal(await page.locator('.row').count(), all);
    // Two filters at once; what passes none; all again.
    await page.getByLabel('class', { exact: true }).selectOption('output-differs');
    await page.getByRole('searchbox').fill('savings.deposits');
    assert.equal(await page.locator('.row').count(), 1);
    await page.getByRole('searchbox').fill('nothing of this name');
    assert.equal(await page.locator('.row').count(), 0);
    assert.ok(!(await page.locator('.findings').isVisible()));
    await page.getByRole('button', { name: 'show all' }).click();
    assert.equal(await page.locator('.row').count(), all);
    assert.equal(await page.getByRole('searchbox').inputValue(), '');
  },

  async 'a race: two stacks side by side, over their source'() {
    const page = await open();
    await page.getByLabel('standing', { exact: true }).selectOption('confirmed');
    await page.locator('.row').first().click();
    const cards = page.locator('.access');
    assert.equal(await cards.count(), 2);
    const [left, right] = [await cards.nth(0).boundingBox(), await cards.nth(1).boundingBox()];
    assert.ok(Math.abs(left.y - right.y) < 2 && right.x >= left.x + left.width);
    for (const i of [0, 1]) {
      assert.equal(await cards.nth(i).locator('.source .hit').count(), 1);
      assert.ok((await cards.nth(i).locator('.stack li').count()) >= 2);
      assert.ok((await cards.nth(i).locator('.source [class^=c-]').count()) > 3, 'source is coloured');
    }
    // Of both: what was in memory in the schedule that confirms it, and of a write what it writes.
    for (const i of [0, 1]) assert.match(await cards.nth(i).locator('.value').textContent(), /^(value \d+|\d+ → \d+)$/);
    assert.match(await page.locator('[data-test=met]').textContent(), /where the access shown (first|second) goes first/);
    assert.ok((await page.locator('.held').allTextContents()).join().includes('locks held'));
    assert.ok((await page.locator('.history').textContent()).length > 0);
    assert.ok((await page.locator('.token code').textContent()).startsWith('n2'));
    await shoot(page, 'page-race');
  },

  async 'what a race does: class, token, and the schedule that shows it'() {
    const page = await open();
    await page.getByLabel('class', { exact: true }).selectOption('output-differs');
    await page.getByRole('searchbox').fill('savings.deposits');
    await page.locator('.row').first().click();
    const known = await page.locator('.known').textContent();
    assert.match(known, /output-differs: output, in \d+ pairs? of runs/);
    const commands = await page.locator('.known .command code').allTextContents();
    const [shows, again] = ['norn replay n2', 'norn replay n2'].map((words, i) => commands.filter((each) => each.startsWith(words))[i]);
    assert.ok(shows && again && shows !== again && shows.endsWith(' -- ./bank'), `commands: ${commands}`);
    const which = page.getByLabel('which schedule');
    assert.equal(await which.locator('option').count(), 2);
    const before = await page.locator('.lanes').textContent();
    await which.selectOption({ label: 'that shows what it does: output' });
    assert.notEqual(await page.locator('.lanes').textContent(), before);
    await page.getByRole('button', { name: 'next step' }).click();
    assert.ok(await page.locator('.lane-row.current').isVisible());
  },

  async 'a schedule is stepped through'() {
    const page = await open();
    await page.getByLabel('standing', { exact: true }).selectOption('confirmed');
    await page.locator('.row').first().click();
    const first = await number(page);
    await page.getByRole('button', { name: 'next step' }).click();
    assert.equal(await number(page), first + 1);
    await page.keyboard.press('ArrowLeft');
    assert.equal(await number(page), first);
    assert.ok(await page.locator('.lane-row.current .statement').count(), 'it begins at a statement of the race');
    await page.keyboard.press('Home');
    assert.equal(await number(page), 1);
    await page.keyboard.press('m');
    assert.equal(await number(page), first);
    await page.keyboard.press('Shift+ArrowRight');
    assert.ok((await number(page)) > first);
    assert.equal(await page.locator('.lane-row.current').count(), 1);
    assert.ok(await page.locator('.lane-row.current').isVisible());
    assert.ok((await page.locator('.lane-row.head span').count()) >= 3, 'a lane a thread');
    await page.keyboard.press('End');
    const end = await number(page);
    await page.keyboard.press('ArrowRight');
    assert.equal(await number(page), end);
    await page.keyboard.press('Home');
    await page.keyboard.press('m');
    await page.locator('.schedule').scrollIntoViewIfNeeded();
    if (screenshots) await page.locator('.schedule').screenshot({ path: join(screenshots, 'page-schedule.png') });
  },

  async 'keys alone'() {
    const page = await open();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const row = page.locator('.row.selected');
    assert.equal(await row.count(), 1);
    const id = await row.locator('a').textContent();
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.finding .id').textContent(), id);
    await page.keyboard.press('j');
    await page.locator('.finding .id').filter({ hasNotText: id }).waitFor(); // the next one
    await page.keyboard.press('k');
    await page.locator('.finding .id').filter({ hasText: id }).waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.row.selected a').textContent(), id, 'the list is as it was');
    await page.keyboard.press('/');
    await page.keyboard.type('auditor');
    assert.equal(await page.getByRole('searchbox').inputValue(), 'auditor');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('searchbox').inputValue(), '');
    await page.keyboard.press('?');
    assert.ok(await page.getByRole('dialog').isVisible());
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
  },

  async 'terms are explained where they stand'() {
    const page = await open();
    await page.locator('h1 .term').first().click();
    assert.ok((await page.getByRole('note').textContent()).length > 30);
  },

  async 'commands are copied'() {
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.row').first().click();
    const command = page.locator('.known .command').first();
    await command.locator('.copy').click();
    await command.getByText('copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await command.locator('code').textContent());
  },

  async 'dark, and on a phone'() {
    const light = await open();
    const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const page = await open({ colorScheme: 'dark', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    assert.notEqual(await paper(page), await paper(light));
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok((await width()) <= 390, `the list is ${await width()} wide`);
    await page.getByLabel('standing', { exact: true }).selectOption('confirmed');
    await page.locator('.row a').first().click();
    assert.ok((await width()) <= 390, `the race is ${await width()} wide`);
    const cards = page.locator('.access');
    const [top, below] = [await cards.nth(0).boundingBox(), await cards.nth(1).boundingBox()];
    assert.ok(below.y >= top.y + top.height);
    // The lane of the current step is scrolled to.
    const lanes = await page.locator('.lanes').boundingBox();
    const step = await page.locator('.lane-row.current .step-box').boundingBox();
    assert.ok(step.x >= lanes.x && step.x < lanes.x + lanes.width, `the step is at ${step.x}`);
    await shoot(page, 'page-phone');
  },

  async 'without scripts the text is there'() {
    const page = await open({ javaScriptEnabled: false });
    assert.ok((await page.locator('noscript, pre').allTextContents()).join().includes('race on savings'));
  },

  async 'hazards, what is suppressed, what is not known'() {
    const page = await open({}, pathToFileURL(others).href);
    const head = await page.locator('header').textContent();
    for (const part of ['1 race', '1 predicted', '1 suppressed', '1 other hazard', "./shop '--all of it'", 'not complete'])
      assert.ok(head.includes(part), `${part}: ${head}`);
    assert.equal(await page.locator('[data-test=shown]').textContent(), '3 findings about 2 variables');
    const titles = await page.locator('.variable').allTextContents();
    assert.ok(titles.includes('<b>stock</b>[4]'), titles.join());
    await page.getByRole('link', { name: 'R5e1f0b775e1f' }).click();
    const hazard = await page.locator('.finding').textContent();
    for (const part of ['possible deadlock', 'clerk', 'holds till (taken at shop.c:12) and takes shelf', 'norn confirm R5e1f0b775e1f'])
      assert.ok(hazard.includes(part), `${part}: ${hazard}`);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Raaaaaaaaaaaa' }).click();
    const race = await page.locator('.finding').textContent();
    for (const part of ['3 → 4', 'lock 0x44', 'shared', '2 library frames', 'libshop.so+0x1234', 'the callers are not known', 'heap block of 64 bytes'])
      assert.ok(race.includes(part), `${part}: ${race}`);
  },

  async 'a race by its address'() {
    const page = await open();
    const id = await page.locator('.row a').first().textContent();
    await page.goto(`${address}#${id}`);
    await page.reload();
    assert.equal(await page.locator('.finding .id').textContent(), id);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok   ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAIL ${name}: ${error.stack}`);
  }
}
if (complaints.length > 0) console.log(`FAIL the console has ${complaints.length} errors: ${complaints.join('\n')}`);
if (outside.length > 0) console.log(`FAIL the page asked for ${outside}`);
await browser.close();
process.exit(failed > 0 || complaints.length > 0 || outside.length > 0 ? 1 : 0);
