/** Lists that never end, or whose next page is somewhere else. */
import type { Answer } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import type { Outcome, Scenario } from "../scenario.ts";

/** A list may be cut or refused; other operations do not look at these headers. */
const bounded: readonly Outcome[] = ["fine", "other", "UpstreamError", "UnprocessableError"];
const pageSize = 100;

/** Returns the answer with as many items as a full page has. */
function full(answer: Answer): Answer {
	const list: unknown = answer.body === "" ? undefined : JSON.parse(answer.body);
	if (!Array.isArray(list) || list.length === 0) return answer;
	return { ...answer, body: JSON.stringify(Array.from({ length: pageSize }, (_, index) => list[index % list.length])) };
}

function linked(next: (exchange: Exchange) => Record<string, string>, change: (answer: Answer) => Answer = full) {
	return (exchange: Exchange) => {
		const answer = change(exchange.good);
		exchange.send({ ...answer, headers: { ...answer.headers, ...next(exchange) } });
	};
}

function link(url: string): Record<string, string> {
	return { link: `<${url}>; rel="next", <${url}>; rel="last"` };
}

function pathWith(path: string, page: number | string): string {
	const url = new URL(path, "http://x");
	url.searchParams.set("page", String(page));
	return url.pathname + url.search;
}

export const pages: readonly Scenario[] = [
	{
		name: "pages without end",
		read: bounded,
		isEndless: true,
		answer: linked(({ origin, asked, number }) => ({
			...link(origin + pathWith(asked.path, number + 1)),
			"x-next-page": String(number + 1),
			"x-total-pages": "1000000",
			"x-total-count": "100000000",
		})),
	},
	{
		name: "empty pages without end",
		read: bounded,
		isEndless: true,
		answer: linked(
			({ origin, asked, number }) => ({
				...link(origin + pathWith(asked.path, number + 1)),
				"x-next-page": String(number + 1),
			}),
			(answer) => (answer.body.startsWith("[") ? { ...answer, body: "[]" } : answer),
		),
	},
	{
		name: "the next page is the same page",
		read: bounded,
		isEndless: true,
		answer: linked(({ origin, asked }) => ({ ...link(origin + asked.path), "x-next-page": "1" })),
	},
	{
		name: "two pages that name each other",
		read: bounded,
		isEndless: true,
		answer: linked(({ origin, asked, number }) => ({
			...link(origin + pathWith(asked.path, (number % 2) + 1)),
			"x-next-page": String((number % 2) + 1),
		})),
	},
	{
		name: "the next page on another host",
		read: bounded,
		isEndless: true,
		answer: linked(({ elsewhere, asked }) => ({ ...link(elsewhere + pathWith(asked.path, 2)), "x-next-page": "2" })),
	},
	{
		name: "the next page at the metadata of a cloud",
		read: bounded,
		isEndless: true,
		answer: linked(() => ({ ...link("http://169.254.169.254/latest/"), "x-next-page": "" })),
	},
	{
		name: "the next page is garbage",
		read: bounded,
		isEndless: true,
		answer: linked(() => ({ link: '<%%%>; rel="next"; rel=prev, <', "x-next-page": "../../admin?x=1#\t2" })),
	},
	{
		name: "the next page is before the first",
		read: bounded,
		isEndless: true,
		answer: linked(() => ({ "x-next-page": "-1", link: '<?page=-1>; rel="next"' })),
	},
];
