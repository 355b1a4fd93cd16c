/** Times single requests to platforms, and finds deep pages of their lists. */
import type { BenchPlatform } from "./platform.ts";
import { interleaved, median } from "./rounds.ts";

/** A request to one platform; the path is behind the product's prefix. */
export interface TimedRequest {
	readonly server: BenchPlatform;
	readonly path: string;
}

const repeats = 5;

/** Returns the medians of the times of both requests in milliseconds. */
export async function millis(one: TimedRequest, other: TimedRequest): Promise<[number, number]> {
	const samples = await interleaved({ one: () => timed(one), other: () => timed(other) }, 5);
	return [median(samples.one.flat()), median(samples.other.flat())];
}

/** Sends the request several times, one after the other; a search may take longer than a run of the load generator. */
async function timed({ server: { platform }, path }: TimedRequest): Promise<number[]> {
	const times: number[] = [];
	for (let n = 0; n < repeats; n++) {
		const begun = performance.now();
		const response = await fetch(platform.prefix + path);
		await response.arrayBuffer();
		if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`);
		times.push(performance.now() - begun);
	}
	return times;
}

/** Follows `Link` to a page of the list, and returns its path. @param first The path of the first page. */
export async function deepPage({ platform }: BenchPlatform, first: string, number: number): Promise<string> {
	const [list] = first.split("?");
	let path = first;
	for (let page = 1; page < number; page++) {
		const link = (await fetch(platform.prefix + path)).headers.get("link") ?? "";
		const next = /<([^>]*)>; rel="next"/.exec(link)?.[1];
		if (next === undefined) throw new Error(`There is no page ${page + 1}`);
		path = next.slice(next.indexOf(`${list}?`));
	}
	return path;
}
