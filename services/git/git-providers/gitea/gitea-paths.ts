/** The pages of Gitea's lists. Pure. */
import type { IncomingHttpHeaders } from "node:http";

/**
 * Returns the number of the next page. Only the number is taken from the link, because a Gitea may name itself by another
 * address than that by which it is reached.
 */
export function nextPage({ link }: IncomingHttpHeaders): number | undefined {
	const following = typeof link === "string" ? link.split(",").find((one) => /;\s*rel="next"/.test(one)) : undefined;
	const [, number] = /[?&]page=(\d{1,9})[&>]/.exec(following ?? "") ?? [];
	return number === undefined ? undefined : Number(number);
}
