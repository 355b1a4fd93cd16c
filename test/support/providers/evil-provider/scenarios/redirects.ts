/** Redirects to where no request may go, and to where no token may go. */
import type { Exchange } from "../exchange.ts";
import type { Scenario } from "../scenario.ts";

function to(location: (exchange: Exchange) => string, status = 302) {
	return (exchange: Exchange) => exchange.send({ status, headers: { location: location(exchange) }, body: "moved" });
}

const refused = { read: ["UpstreamError", "UnprocessableError"], write: ["UpstreamError"] } as const;

export const redirects: readonly Scenario[] = [
	{
		name: "redirect to the metadata of a cloud",
		...refused,
		answer: to(() => "http://169.254.169.254/latest/meta-data/"),
	},
	{ name: "redirect to this machine", ...refused, answer: to(() => "http://127.0.0.1:22/") },
	{ name: "redirect to this machine over IPv6", ...refused, answer: to(() => "https://[::ffff:127.0.0.1]/", 307) },
	{ name: "redirect to a file", ...refused, answer: to(() => "file:///etc/passwd", 301) },
	{ name: "redirect to another host", ...refused, answer: to(({ elsewhere, asked }) => elsewhere + asked.path, 307) },
	{
		name: "redirect to another host with a user",
		...refused,
		answer: to(({ elsewhere }) => elsewhere.replace("http://", "http://user:password@"), 308),
	},
	{ name: "redirect to itself without end", ...refused, answer: to(({ asked }) => asked.path) },
	{ name: "redirect to ever other paths", ...refused, answer: to(({ number }) => `/again/${number}`) },
	{ name: "redirect without a place", ...refused, answer: ({ send }) => send({ status: 302, headers: {}, body: "" }) },
];
