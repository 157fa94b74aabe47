import { gateway } from "./gateway";
import type { Payment } from "./types";

export async function refund(payment: Payment, amount: number) {
  return gateway.refund(payment.id, amount);
}
