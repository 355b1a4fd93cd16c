/** Reads and writes the header `traceparent` (W3C Trace Context, version 00), in which a trace crosses processes. */

export interface TraceParent {
	readonly traceId: string;
	readonly spanId: string;
	readonly isSampled: boolean;
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const nothing = /^0+$/;

/** Returns the position; undefined when there is none, or none that may be continued. */
export function readTraceParent(text: unknown): TraceParent | undefined {
	if (typeof text !== "string") return undefined;
	const [, traceId = "", spanId = "", flags = ""] = form.exec(text) ?? [];
	if (traceId === "" || nothing.test(traceId) || nothing.test(spanId)) return undefined;
	return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceParentText({ traceId, spanId, isSampled }: TraceParent): string {
	return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}
