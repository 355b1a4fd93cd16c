/** All rows in the order of the table. */
import type { Row } from "./row.ts";
import { p1 } from "./rows/p1-session-read.ts";
import { p2 } from "./rows/p2-read-over-bus.ts";
import { p3 } from "./rows/p3-stream-throughput.ts";
import { p4 } from "./rows/p4-stream-latency.ts";
import { p5 } from "./rows/p5-session-create.ts";
import { p6 } from "./rows/p6-create-to-running.ts";
import { p7 } from "./rows/p7-message-accepted.ts";
import { p8 } from "./rows/p8-list-growth.ts";
import { p9 } from "./rows/p9-list-unchanged.ts";
import { p10 } from "./rows/p10-stats-growth.ts";
import { p11 } from "./rows/p11-memory.ts";
import { p12 } from "./rows/p12-start.ts";
import { p13 } from "./rows/p13-overload.ts";
import { p14 } from "./rows/p14-authentication.ts";
import { p15 } from "./rows/p15-prompt-search.ts";
import { p16 } from "./rows/p16-two-gateways.ts";
import { p17 } from "./rows/p17-ten-thousand-clients.ts";
import { p18 } from "./rows/p18-writes.ts";
import { p19 } from "./rows/p19-warm-container.ts";

export const rows: readonly Row[] = [
	p1,
	p2,
	p3,
	p4,
	p5,
	p6,
	p7,
	p8,
	p9,
	p10,
	p11,
	p12,
	p13,
	p14,
	p15,
	p16,
	p17,
	p18,
	p19,
];
