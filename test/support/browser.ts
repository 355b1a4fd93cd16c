/** Opens a real browser without a window; it loads only what a test allows. Needs: chromium. */
import { type Browser, chromium } from "playwright-core";
import { testProgram } from "./machine/test-program.ts";

export interface TestBrowser extends AsyncDisposable {
	readonly browser: Browser;
}

/** Opens the browser. @throws {Error} when none is installed. */
export async function openBrowser(): Promise<TestBrowser> {
	const browser = await chromium.launch({
		executablePath: testProgram("chromium"),
		args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
	});
	return { browser, [Symbol.asyncDispose]: () => browser.close() };
}
