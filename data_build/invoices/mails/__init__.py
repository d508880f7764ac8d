"""The e-mail of each scenario: two writers, one validator, one diversity measure."""

from data_build.invoices.mails.build import Failure, MailReport, Writer, write_all
from data_build.invoices.mails.diversity import DiversityReport, by_group, report
from data_build.invoices.mails.templates import TemplateWriter, write
from data_build.invoices.mails.validate import problems

__all__ = [
    "DiversityReport",
    "Failure",
    "MailReport",
    "TemplateWriter",
    "Writer",
    "by_group",
    "problems",
    "report",
    "write",
    "write_all",
]
