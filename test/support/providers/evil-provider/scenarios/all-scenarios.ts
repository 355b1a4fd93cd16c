/** All ways of the evil provider. */
import type { Scenario } from "../scenario.ts";
import { bodies } from "./bodies.ts";
import { connections } from "./connections.ts";
import { contents } from "./contents.ts";
import { limits } from "./limits.ts";
import { pages } from "./pages.ts";
import { redirects } from "./redirects.ts";
import { statuses } from "./statuses.ts";

export const scenarios: readonly Scenario[] = [
	...redirects,
	...connections,
	...bodies,
	...contents,
	...statuses,
	...limits,
	...pages,
];
