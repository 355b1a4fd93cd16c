/** All rows, in the order of the table. */
import type { Row } from "./row.ts";
import { p1 } from "./rows/p1-session-read.ts";
import { p3 } from "./rows/p3-stream-throughput.ts";
import { p4 } from "./rows/p4-stream-latency.ts";

export const rows: readonly Row[] = [p1, p3, p4];
